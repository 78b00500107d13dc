package try

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/usage"
)

// The schema has the fields that are read.
func TestTheSchemaOfAnApp(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(usage.AppSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:app", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:app")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/app/app.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence, was, is string
		valid             bool
	}{
		{"the example", "", "", true},
		{"a misspelt field", "service: nginx", "servise: nginx", false},
		{"a misspelt field further in", "{path: /}", "{pth: /}", false},
		{"another kind of workload", "kind: Deployment,", "kind: DaemonSet,", false},
		{"a version in two places", "{header: X-Version}", "{header: X-Version, pointer: /v}", false},
		{"a port over TLS", "service: nginx", "service: https:nginx:443", true},
		{"another scheme", "service: nginx", "service: tcp:nginx:443", false},
		{"what the options of during take", "{path: /}", "{path: /, ca: a.pem, serverName: shop.test, insecure: true}", true},
		{"statuses as ranges", "reply:", "reply:\n  goodStatus: 200-299,404", true},
		{"a status that is none", "reply:", "reply:\n  goodStatus: 200-99", false},
		{"a budget", "podSecurity:", "budget: {maxOutage: 5s, maxFailed: 0.1%, p99: 300ms}\npodSecurity:", true},
		{"a path that is none", "{path: /}", "{path: a}", false},
		{"a standard that is none", "podSecurity: baseline", "podSecurity: none", false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			asJSON, err := yaml.YAMLToJSON([]byte(strings.Replace(string(text), row.was, row.is, 1)))
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
			if err != nil {
				t.Fatal(err)
			}
			if invalid := schema.Validate(value); (invalid == nil) != row.valid {
				t.Errorf("%v", invalid)
			}
		})
	}
}

func TestTheSchemaNamesEveryFieldOfAnApp(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal([]byte(usage.AppSchema), &schema); err != nil {
		t.Fatal(err)
	}
	compareFields(t, "app", reflect.TypeFor[appFile](), schema, schema["$defs"].(map[string]any))
}

// compareFields compares a schema with the fields of a struct, recursively.
func compareFields(t *testing.T, name string, typ reflect.Type, schema, definitions map[string]any) {
	t.Helper()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if ref, ok := schema["$ref"].(string); ok {
		schema = definitions[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	properties := schema["properties"].(map[string]any)
	var fields, named []string
	for _, field := range reflect.VisibleFields(typ) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" {
			continue // an embedded struct, whose fields follow
		}
		fields = append(fields, key)
		if property, ok := properties[key].(map[string]any); ok {
			compareFields(t, name+"."+key, field.Type, property, definitions)
		}
	}
	for key := range properties {
		named = append(named, key)
	}
	slices.Sort(fields)
	slices.Sort(named)
	if diff := cmp.Diff(fields, named); diff != "" {
		t.Errorf("%s (-read +published):\n%s", name, diff)
	}
}
