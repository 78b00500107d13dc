package store

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
)

//go:generate go test . -update

const guide = "../README.md"

// The guide has each column, field and kind of event, with what the comments of the Go types say.
func TestRecordsInTheGuide(t *testing.T) {
	types := parseTypes(t)
	text := columnTable[hitRow](t, types, "hits.parquet", hitLayout().metadata, "Hit") + faults() +
		columnTable[arrivalRow](t, types, "arrivals.parquet", arrivalLayout().metadata, "Arrival") +
		columnTable[connectionRow](t, types, "connections.parquet", connectionLayout().metadata, "Connection") + ends() +
		columnTable[flowRow](t, types, "flows.parquet", flowLayout().metadata, "Flow") + eventTables(t, types)
	golden.Section(t, guide, "records", wrapped(text))
}

// wrapped breaks the lines outside tables where a guide does.
func wrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for width := 140; len(line) > width && line[0] != '|'; {
			at := strings.LastIndexByte(line[:width], ' ')
			b.WriteString(line[:at] + "\n")
			line = line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// Every column and field that a query in a guide names is there.
func TestQueriesInGuides(t *testing.T) {
	tables := map[string][]string{
		"hits.parquet":        columnsOf[hitRow](),
		"arrivals.parquet":    columnsOf[arrivalRow](),
		"connections.parquet": columnsOf[connectionRow](),
		"flows.parquet":       columnsOf[flowRow](),
		"events.jsonl":        fieldsOf[evidence.Event](),
		"lanes":               fieldsOf[evidence.Lane](),
	}
	text, err := os.ReadFile("../../../reports/README.md")
	if err != nil {
		t.Fatal(err)
	}
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(queries) == 0 {
		t.Fatal("the guide has no query")
	}
	named := regexp.MustCompile(`(?m)(?:from|join)\s+(?:'[^']*?([a-z]+\.(?:parquet|jsonl))'|(lanes))\s+([a-z])\b`)
	for _, query := range queries {
		aliases := named.FindAllStringSubmatch(query[1], -1)
		if len(aliases) == 0 {
			t.Errorf("it names no file:\n%s", query[1])
		}
		for _, alias := range aliases {
			table := alias[1] + alias[2]
			for _, column := range regexp.MustCompile(`\b`+alias[3]+`\."?([a-z_]+)`).FindAllStringSubmatch(query[1], -1) {
				if !slices.Contains(tables[table], column[1]) {
					t.Errorf("%s has no %s", table, column[1])
				}
			}
		}
	}
}

func columnsOf[W any]() (names []string) {
	for _, field := range parquet.SchemaOf(*new(W)).Fields() {
		names = append(names, field.Name())
	}
	return names
}

func fieldsOf[R any]() (names []string) {
	for field := range reflect.TypeFor[R]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// goTypes are the comments of package evidence: type -> field -> comment; the constants of EventKind by their text.
type goTypes struct {
	fields map[string]map[string]string
	kinds  map[string]string
}

func parseTypes(t *testing.T) goTypes {
	t.Helper()
	found := goTypes{map[string]map[string]string{}, map[string]string{}}
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					found.fields[n.Name.Name] = map[string]string{}
					for _, f := range s.Fields.List {
						for _, field := range f.Names {
							found.fields[n.Name.Name][field.Name] = said(f.Doc, f.Comment)
						}
					}
				}
			case *ast.ValueSpec:
				if of, ok := n.Type.(*ast.Ident); ok && of.Name == "EventKind" {
					kind, err := strconv.Unquote(n.Values[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					found.kinds[kind] = said(n.Doc, n.Comment)
				}
			}
			return true
		})
	}
	return found
}

func said(doc, comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(doc.Text()+" "+comment.Text()), " ")
}

// columnTable returns the table of a file's columns. The fields of a Server are one row, with the comment of the record's own field By.
func columnTable[W any](t *testing.T, types goTypes, file string, metadata []parquet.WriterOption, record string) string {
	t.Helper()
	var config parquet.WriterConfig
	for _, option := range metadata {
		option.ConfigureWriter(&config)
	}
	text := fmt.Sprintf("**`%s`** has %s.\n\n| column | type | what it is |\n|---|---|---|\n", file,
		code(config.KeyValueMetadata["rollcall.units"]))
	schema := parquet.SchemaOf(*new(W))
	kinds := map[parquet.Kind]string{parquet.Int64: "integer", parquet.Int32: "integer", parquet.Boolean: "boolean", parquet.ByteArray: "text"}
	columns, server := map[string]string{}, []string{}
	row := reflect.TypeFor[W]()
	for field := range row.Fields() {
		column, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		if _, own := types.fields[record][field.Name]; !own {
			server = append(server, column)
		}
		columns[field.Name] = column
	}
	for field := range row.Fields() {
		column := columns[field.Name]
		comment, own := types.fields[record][field.Name]
		if !own && column != server[0] {
			continue
		}
		names := []string{column}
		if !own {
			names, comment = server, types.fields[record]["By"]
		}
		if comment == "" {
			comment = types.fields["Hit"][field.Name]
		}
		if comment == "" {
			t.Errorf("%s.%s has no comment", record, field.Name)
		}
		leaf, _ := schema.Lookup(column)
		text += fmt.Sprintf("| `%s` | %s | %s |\n", strings.Join(names, "`, `"), kinds[leaf.Node.Type().Kind()],
			named(strings.TrimPrefix(comment, field.Name+" is "), columns))
	}
	return text + "\n"
}

func faults() string {
	text := "| fault | what happened |\n|---|---|\n"
	for _, of := range []struct {
		faults []evidence.Fault
		whose  string
	}{{evidence.PlainFaults(), ""}, {evidence.StreamFaults(), ""}, {evidence.HTTP2Faults(), ""}, {evidence.TLSFaults(), ""},
		{evidence.HostFaults(), "the client's host "},
		{[]evidence.Fault{evidence.Returned}, ""}} {
		for _, fault := range of.faults {
			text += fmt.Sprintf("| `%s` | %s%s |\n", fault, of.whose, fault.Meaning())
		}
	}
	return text + "\n"
}

func ends() string {
	text := "| end | by | what happened |\n|---|---|---|\n"
	for _, end := range evidence.Ends() {
		text += fmt.Sprintf("| `%s` | %s | %s |\n", end, end.By(), end.Meaning())
	}
	return text + "\n"
}

// eventTables returns the tables of the fields and the kinds of events.
func eventTables(t *testing.T, types goTypes) string {
	t.Helper()
	text := "**`events.jsonl`** has one event per line, by time within each clock.\n\n| field | what it is |\n|---|---|\n"
	fields := map[string]string{}
	for field := range reflect.TypeFor[evidence.Event]().Fields() {
		fields[field.Name], _, _ = strings.Cut(field.Tag.Get("json"), ",")
	}
	for field := range reflect.TypeFor[evidence.Event]().Fields() {
		if fields[field.Name] == "-" { // not in the file
			continue
		}
		comment := types.fields["Event"][field.Name]
		if comment == "" {
			t.Errorf("Event.%s has no comment", field.Name)
		}
		text += fmt.Sprintf("| `%s` | %s |\n", fields[field.Name], named(comment, fields))
	}
	text += "\n| kind | what happened |\n|---|---|\n"
	for _, kind := range evidence.EventKinds() {
		if types.kinds[string(kind)] == "" {
			t.Errorf("kind %s has no comment", kind)
		}
		text += fmt.Sprintf("| `%s` | %s |\n", kind, named(types.kinds[string(kind)], fields))
	}
	return text
}

// named puts the names of columns or fields in place of those of Go fields.
func named(comment string, names map[string]string) string {
	comment = strings.NewReplacer("[", "", "]", "", "Run.Began", "`began` in `run.json`", "By.Node", "`node`").Replace(comment)
	return regexp.MustCompile(`\b[A-Z][A-Za-z]+\b`).ReplaceAllStringFunc(comment, func(word string) string {
		if name, is := names[word]; is {
			return "`" + name + "`"
		}
		return word
	})
}

// code marks the names in the description of a file's units.
func code(units string) string {
	return regexp.MustCompile(`\b[a-z]+_[nu]s\b|run\.json's began`).ReplaceAllStringFunc(units, func(name string) string {
		return "`" + strings.Replace(name, "run.json's began", "began` in `run.json", 1) + "`"
	})
}
