package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// Every format of the list has the same scenarios.
func TestListFormats(t *testing.T) {
	printed := func(format string) []byte {
		var out bytes.Buffer
		if code := Execute([]string{"list", "--suites=termination", "-o", format}, &out, io.Discard); code != 0 {
			t.Fatalf("%s: exit code %d", format, code)
		}
		return out.Bytes()
	}
	var fromJSON, fromYAML []listing
	if err := json.Unmarshal(printed(asJSON), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(printed(asYAML), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" || len(fromJSON) == 0 {
		t.Errorf("%d scenarios (-json +yaml):\n%s", len(fromJSON), diff)
	}
	for _, format := range []string{asText, asMarkdown} {
		text := string(printed(format))
		for _, l := range fromJSON {
			if l.Claim == "" || l.Seconds == 0 || !strings.Contains(text, "termination/"+l.ID) {
				t.Errorf("%s: %+v is not whole or not in\n%s", format, l, text)
			}
		}
	}
}

// What a command found is the same in every format, and nothing else is printed with it.
func TestFormats(t *testing.T) {
	dir := ended(t, runFolder(t, 60))
	for _, row := range []struct {
		args     []string
		json     string // a part of the data
		markdown string // how the text begins
	}{
		{[]string{"report", dir}, `"asked_rate": 50`, "# Rollcall"},
		{[]string{"compare", dir, dir}, `"effect": "cannot tell"`, "# Rollcall compare"},
		{[]string{"accept", "--baseline", dir, "--candidate", dir}, `"answer": "cannot tell"`, "# Rollcall accept"},
		{[]string{"trend", dir}, `"scenario": "rollout/drained"`, "# Rollcall trend"},
	} {
		t.Run(row.args[0], func(t *testing.T) {
			t.Setenv("GITHUB_ACTIONS", "true")
			printed := func(format string) []byte {
				var out bytes.Buffer
				Execute(append(row.args, "-o", format), &out, io.Discard)
				return out.Bytes()
			}
			asJSON := printed(asJSON)
			fromYAML, err := yaml.YAMLToJSON(printed(asYAML))
			if err != nil {
				t.Fatal(err)
			}
			var data, same any
			if err := errors.Join(json.Unmarshal(asJSON, &data), json.Unmarshal(fromYAML, &same)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(data, same); diff != "" || !bytes.Contains(asJSON, []byte(row.json)) {
				t.Errorf("%q is not in\n%s\nor YAML differs (-json +yaml):\n%s", row.json, asJSON, diff)
			}
			if text := printed(asMarkdown); !bytes.HasPrefix(text, []byte(row.markdown)) {
				t.Errorf("%s", text)
			}
		})
	}
	var out bytes.Buffer
	if Execute([]string{"report", dir, "-o", "json"}, &out, io.Discard); out.String() != read(t, filepath.Join(dir, "report.json")) {
		t.Error("report -o json is not report.json")
	}
}
