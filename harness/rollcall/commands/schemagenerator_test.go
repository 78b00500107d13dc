package commands

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

type object = map[string]any

// A schemaGenerator makes schemas of Go types: properties from the names of their JSON, descriptions from the comments of
// fields, and what a text can be from the constants of its type.
type schemaGenerator struct {
	t       *testing.T
	defs    object               // by type
	sources map[string]goPackage // by path
}

// schemaOf returns the schema of what a command prints, as a file has it.
func (g *schemaGenerator) schemaOf(name, description string, t reflect.Type) object {
	g.defs = object{}
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:rollcall:v1alpha1:" + name,
		"title": "What rollcall " + name + " -o json prints", "description": description,
	}
	maps.Copy(schema, g.of(t))
	if len(g.defs) > 0 {
		schema["$defs"] = g.defs
	}
	return schema
}

func (g *schemaGenerator) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[verdict.Outcome]():
		var all []string
		for o := verdict.Inconclusive; o <= verdict.Skipped; o++ {
			all = append(all, o.String())
		}
		return object{"enum": all}
	case reflect.TypeFor[model.Metric](): // it is written as its key
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.of(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": g.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.of(t.Elem())}
	case reflect.Struct:
		return g.ofStruct(t)
	case reflect.String:
		if values := g.source(t).values[t.Name()]; len(values) > 0 {
			return object{"enum": values}
		}
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int:
		return object{"type": "integer"}
	}
	g.t.Fatalf("no schema is known for %s", t)
	return nil
}

// ofStruct returns a reference to the definition of a struct, and makes that at first.
func (g *schemaGenerator) ofStruct(t reflect.Type) object {
	name := strings.ToLower(t.Name()[:1]) + t.Name()[1:]
	ref := object{"$ref": "#/$defs/" + name}
	if g.defs[name] != nil {
		return ref
	}
	properties, required := object{}, []string{}
	def := object{"type": "object", "additionalProperties": false, "properties": properties}
	g.defs[name] = def
	if t == reflect.TypeFor[compare.Decision]() { // its MarshalJSON adds the answer
		properties["answer"], required = g.of(reflect.TypeFor[compare.Answer]()), append(required, "answer")
	}
	g.addFields(t, properties, &required)
	slices.Sort(required)
	def["required"] = required
	return ref
}

func (g *schemaGenerator) addFields(t reflect.Type, properties object, required *[]string) {
	for field := range t.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && key == "":
			g.addFields(field.Type, properties, required)
			continue
		case key == "-" || !field.IsExported():
			continue
		case key == "":
			g.t.Fatalf("%s.%s has no name in JSON", t, field.Name)
		}
		schema := g.of(field.Type)
		if comment := g.source(t).comments[t.Name()+"."+field.Name]; comment != "" {
			schema["description"] = comment
		}
		properties[key] = schema
		if !strings.Contains(options, "omit") {
			*required = append(*required, key)
		}
	}
}

// A goPackage is what the source of a package says and reflection does not.
type goPackage struct {
	comments map[string]string   // by Type.Field, as a sentence
	values   map[string][]string // of the constants of a type
}

func (g *schemaGenerator) source(t reflect.Type) goPackage {
	read, known := g.sources[t.PkgPath()]
	if known || t.PkgPath() == "" {
		return read
	}
	read = goPackage{map[string]string{}, map[string][]string{}}
	module := path.Dir(path.Dir(reflect.TypeFor[model.Report]().PkgPath()))
	files, err := filepath.Glob(filepath.Join("..", "..", "..", strings.TrimPrefix(t.PkgPath(), module), "*.go"))
	for _, name := range files {
		file, unread := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err = errors.Join(err, unread); err == nil && !strings.HasSuffix(name, "_test.go") {
			ast.Inspect(file, read.add)
		}
	}
	if err != nil || len(files) == 0 {
		g.t.Fatalf("%s: %d files: %v", t.PkgPath(), len(files), err)
	}
	for _, values := range read.values {
		slices.Sort(values)
	}
	g.sources[t.PkgPath()] = read
	return read
}

func (p goPackage) add(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if s, ok := n.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					p.comments[n.Name.Name+"."+name.Name] = sentence(field.Doc.Text() + field.Comment.Text())
				}
			}
		}
	case *ast.ValueSpec:
		of, ok := n.Type.(*ast.Ident)
		for _, value := range n.Values {
			if text, literal := value.(*ast.BasicLit); ok && literal && text.Kind == token.STRING {
				plain, _ := strconv.Unquote(text.Value)
				p.values[of.Name] = append(p.values[of.Name], plain)
			}
		}
	}
	return true
}

// sentence makes a comment begin and end like a sentence.
func sentence(comment string) string {
	words := strings.Fields(comment)
	if len(words) == 0 {
		return ""
	}
	text := []rune(strings.Join(words, " "))
	text[0] = unicode.ToUpper(text[0])
	return strings.TrimSuffix(string(text), ".") + "."
}
