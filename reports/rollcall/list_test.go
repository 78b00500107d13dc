package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// Every format of the list has the same scenarios.
func TestListFormats(t *testing.T) {
	printed := func(format string) []byte {
		var out bytes.Buffer
		if code := run([]string{"list", "--suite=termination", "-o", format}, &out, io.Discard); code != 0 {
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
