package commands

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/try"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/findings"
)

//go:generate go test . -update

// A schema follows the Go type that is written: with -update it has a new field, or the new comment of one.
func TestSchemasAreOfWhatIsWritten(t *testing.T) {
	g := schemaGenerator{t: t, sources: map[string]goPackage{}}
	for _, of := range []struct {
		name, description string
		written           reflect.Type
	}{
		{"check", "What manifests say of rollouts and drains.", reflect.TypeFor[findings.Result]()},
		{"list", "The scenarios, by suite.", reflect.TypeFor[[]listing]()},
		{"try", "What was found in manifests, and under load.", reflect.TypeFor[tried]()},
		{"during", "What was found under load.", reflect.TypeFor[underResult]()},
		{"explain", "What each name is, in their order.", reflect.TypeFor[[]explanation]()},
		{"compare", "What run B says otherwise than run A.", reflect.TypeFor[compare.Comparison]()},
		{"accept", "A decision for each candidate, in the order in which they were named.", reflect.TypeFor[[]compare.Decision]()},
		{"trend", "The lines of the history, which is a file with one such object a line.", reflect.TypeFor[[]compare.Line]()},
		{"preflight", "What was found on this host.", reflect.TypeFor[[]host.Finding]()},
		{"status", "How far a run is, which status.json in its folder says too. Durations are in seconds.", reflect.TypeFor[progress.Status]()},
	} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(g.schemaOf(of.name, of.description, of.written)); err != nil {
			t.Fatal(err)
		}
		golden.File(t, "schemas/"+of.name+".json", b.String())
	}
}

// What commands print is valid by the schema that they print, and is not with one field more anywhere.
func TestOutputIsValid(t *testing.T) {
	steady, failing := ended(t, runFolder(t)), ended(t, runFolder(t, 60))
	underWay, _ := goingOn(t)
	for _, row := range []struct {
		sentence string
		schema   string
		args     []string
	}{
		{"all scenarios", "list", []string{"list"}},
		{"a run that fails after one that passed", "compare", []string{"compare", steady, failing}},
		{"a run that cannot be trusted", "compare", []string{"compare", steady, runFolder(t, 3)}},
		{"two candidates, one of which fails as it may", "accept", []string{"accept", "--baseline", steady, "--candidate", steady,
			"--candidate", failing, "--policy", policy(t, "rollout/drained")}},
		{"a candidate that fails", "accept", []string{"accept", "--baseline", steady, "--candidate", failing}},
		{"manifests with a mistake", "check", []string{"check", "-f", "../../cases/testdata/o6.yaml"}},
		{"a plan", "try", []string{"try", "-f", "../../cases/testdata/o6.yaml", "--dry-run"}},
		{"one of each kind", "explain", append([]string{"explain"}, ofEachKind...)},
		{"a history", "trend", []string{"trend", steady, failing}},
		{"a history of nothing", "trend", []string{"trend", underWay}},
		{"a run that goes on", "status", []string{"status", underWay}},
		{"a run that ended", "status", []string{"status", watched(t, runFolder(t))}},
		{"a report", "report", []string{"report", failing}},
	} {
		t.Run(row.schema+" of "+row.sentence, func(t *testing.T) {
			var out bytes.Buffer
			Execute(append(row.args, "-o", "json"), &out, io.Discard)
			checkValid(t, row.schema, out.Bytes())
		})
	}
	t.Run("during of a run that fails", func(t *testing.T) {
		result, err := resultOf(failing, 1)
		if err != nil {
			t.Fatal(err)
		}
		if of := result.Recordings[0]; of.Lost == 0 || of.Sent <= of.Lost || result.Exit != 1 {
			t.Errorf("it is %+v", result)
		}
		plan := []try.Line{{Topic: "workload", Says: "Deployment web"}}
		for schema, data := range map[string]any{"during": result, "try": tried{Plan: plan, Result: result}} {
			var out bytes.Buffer
			if err := (&output{format: asJSON}).print(&out, data, nil); err != nil {
				t.Fatal(err)
			}
			checkValid(t, schema, out.Bytes())
		}
	})
	t.Run("preflight of a host of which nothing is known", func(t *testing.T) {
		var out bytes.Buffer
		if err := (&output{format: asJSON}).print(&out, host.Facts{}.Findings(), nil); err != nil {
			t.Fatal(err)
		}
		checkValid(t, "preflight", out.Bytes())
	})
}

func checkValid(t *testing.T, name string, printed []byte) {
	t.Helper()
	var schema bytes.Buffer
	if code := Execute([]string{"schema", name}, &schema, io.Discard); code != 0 {
		t.Fatalf("exit code %d for the schema", code)
	}
	valid := compiled(t, schema.Bytes())
	data, err := jsonschema.UnmarshalJSON(bytes.NewReader(printed))
	if err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	if err := valid.Validate(data); err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	for where, of := range objects("", data) {
		of["one_more"] = "text"
		if valid.Validate(data) == nil {
			t.Errorf("%s: it is valid with a field more", where)
		}
		delete(of, "one_more")
	}
}

// objects returns the objects in a value, by where they are.
func objects(where string, value any) map[string]object {
	all := map[string]object{}
	add := func(key string, inner any) {
		for where, of := range objects(where+"."+key, inner) {
			all[where] = of
		}
	}
	switch value := value.(type) {
	case object:
		all[where] = value
		for key, inner := range value {
			add(key, inner)
		}
	case []any:
		for _, inner := range value {
			add("item", inner) // one of each kind of place is enough
		}
	}
	return all
}

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const id = "urn:rollcall:schema"
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	valid, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return valid
}

// Each command with -o json has a schema, and the help names all.
func TestEveryOutputHasASchema(t *testing.T) {
	root := rootCommand()
	schema, _, err := root.Find([]string{"schema"})
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("output") == nil {
			continue
		}
		if code := Execute([]string{"schema", cmd.Name()}, io.Discard, io.Discard); code != 0 {
			t.Errorf("rollcall %s -o json has no schema", cmd.Name())
		}
		if !strings.Contains(schema.Long+schema.Use, cmd.Name()) {
			t.Errorf("the help does not name the schema of %s", cmd.Name())
		}
	}
}
