package reports_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

var moreReports = flag.String("reports", "", "a pattern of further files that are to be valid, such as ../out/*/report.json")

// schemaOf compiles the published schema, or one of its definitions.
func schemaOf(t *testing.T, definition string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(reports.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	const id = "urn:rollcall:v1alpha1:report"
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id + definition)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func violation(t *testing.T, schema *jsonschema.Schema, data string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestReportsAreValid(t *testing.T) {
	schema := schemaOf(t, "")
	for name, text := range map[string]string{
		"every outcome": reportOf(t, runFolder(t)), "none": reportOf(t, emptyFolder(t)), "a damaged run": reportOf(t, damagedFolder(t)),
	} {
		if err := violation(t, schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	files := []string{"testdata/report.json", "testdata/empty-report.json", "testdata/full-report.json"}
	more, err := filepath.Glob(*moreReports)
	if err != nil || (*moreReports != "" && len(more) == 0) {
		t.Fatalf("-reports=%s: no file: %v", *moreReports, err)
	}
	for _, file := range append(files, more...) {
		if err := violation(t, schema, read(t, file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestRecordedScenariosAreValid(t *testing.T) {
	schema := schemaOf(t, "#/$defs/scenario")
	files, err := filepath.Glob("testdata/recorded/*/golden.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		if err := violation(t, schema, read(t, file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestWhatIsNotAReportIsNotValid(t *testing.T) {
	report, schema := read(t, "testdata/report.json"), schemaOf(t, "")
	for _, row := range []struct{ sentence, now, then string }{
		{"a misspelt field", `"status_gap_ms"`, `"statusgap_ms"`},
		{"a misspelt kind of failure", `"refused": 2`, `"refuzed": 2`},
		{"a missing field", `"because": "what the kernel offers"`, `"supported": true`},
		{"an unknown answer about a bug", `"answer": "affected"`, `"answer": "fixed"`},
		{"an issue of no repository", `"issue": "k/k#`, `"issue": "#`},
		{"an unknown outcome", `"outcome": "skipped"`, `"outcome": "flaky"`},
		{"a number as text", `"requests": 2400`, `"requests": "2400"`},
		{"a fraction of a request", `"requests": 200`, `"requests": 200.5`},
		{"a negative count", `"retried": 0`, `"retried": -1`},
		{"null for a list", `"features": [`, `"features": null, "x": [`},
		{"a time that is none", `"began": "2026-11-20T09:30:00Z"`, `"began": "yesterday"`},
		{"a misspelt part", `"clean-up": `, `"cleanup": `},
		{"an unknown profile", `"profile": "core"`, `"profile": "most"`},
		{"another schema", `rollcall/v1alpha1`, `rollcall/v2`},
		{"a folder elsewhere", `"evidence": "evidence/`, `"evidence": "/evidence/`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			spoilt := strings.Replace(report, row.now, row.then, 1)
			if spoilt == report {
				t.Fatalf("the report does not say %s", row.now)
			}
			if err := violation(t, schema, spoilt); err == nil {
				t.Error("it is valid")
			}
		})
	}
}

// The schema names the kinds of failures as package evidence does; those that need no TLS are counted on every lane.
func TestTheSchemaNamesEveryFault(t *testing.T) {
	const count = `        "%s": {"description": "%s%s.", "$ref": "#/$defs/count"}`
	var rows []string
	for _, of := range []struct {
		faults []evidence.Fault
		whose  string
	}{
		{evidence.PlainFaults(), ""}, {evidence.StreamFaults(), "Of lanes of streams: "},
		{evidence.HTTP2Faults(), "Of lanes over HTTP/2: "}, {evidence.TLSFaults(), "Of lanes over TLS: "},
		{evidence.HostFaults(), "Of lanes outside the cluster: their host "},
	} {
		for _, fault := range of.faults {
			means := fault.Meaning()
			if of.whose == "" {
				means = strings.ToUpper(means[:1]) + means[1:]
			}
			rows = append(rows, fmt.Sprintf(count, fault, of.whose, means))
		}
	}
	required := strings.ReplaceAll(fmt.Sprintf("%q", evidence.PlainFaults()), `" "`, `", "`)
	made := fmt.Sprintf(`      "description": "Requests that failed, by kind.",
      "type": "object",
      "additionalProperties": false,
      "required": %s,
      "properties": {
%s
      }`, required, strings.Join(rows, ",\n"))
	golden.Between(t, "report.schema.json", `    "failures": {`+"\n", "\n    },\n", made)
}

// A field that is not published is a field nobody may rely on.
func TestTheSchemaNamesEveryField(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal([]byte(reports.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	definitions := schema["$defs"].(map[string]any)
	compareFields(t, "report", reflect.TypeFor[model.Report](), schema, definitions)
}

// compareFields compares a schema with the fields of a struct, and with those of the fields' types.
func compareFields(t *testing.T, name string, typ reflect.Type, schema, definitions map[string]any) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		if typ = typ.Elem(); schema["items"] != nil {
			schema = schema["items"].(map[string]any)
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		schema = definitions[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if typ.Kind() != reflect.Struct || typ.PkgPath() == "time" {
		return
	}
	properties := schema["properties"].(map[string]any)
	var fields, needed, required []string
	for _, field := range reflect.VisibleFields(typ) {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" {
			continue
		}
		fields = append(fields, key)
		if !strings.HasPrefix(options, "omit") {
			needed = append(needed, key)
		}
		if property, ok := properties[key].(map[string]any); ok {
			compareFields(t, name+"."+key, field.Type, property, definitions)
		}
	}
	var published []string
	for key := range properties {
		published = append(published, key)
	}
	for _, key := range asList(schema["required"]) {
		required = append(required, key.(string))
	}
	for _, list := range [][]string{fields, published, needed, required} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(fields, published); diff != "" {
		t.Errorf("fields of %s (-written +published):\n%s", name, diff)
	}
	if diff := cmp.Diff(needed, required); diff != "" {
		t.Errorf("fields %s always has (-written +published):\n%s", name, diff)
	}
	if schema["additionalProperties"] != false {
		t.Errorf("%s may have any field", name)
	}
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
