package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A text in a ConfigMap arrives as kubectl would apply it: haproxy refuses a configuration without a last newline.
func TestTextsAreReadToTheirLastNewline(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: front}\ndata:\n"
	for _, row := range []struct{ sentence, manifest, want string }{
		{"a literal block at the end of the file", head + "  file: |\n    a\n    b\n", "a\nb\n"},
		{"one before another document", head + "  file: |\n    a\n---\n" + strings.Replace(head, "front", "back", 1) + "  other: x\n", "a\n"},
		{"one that keeps its blank lines", head + "  file: |+\n    a\n\n---\n", "a\n\n"},
		{"one that drops its last newline", head + "  file: |-\n    a\n", "a"},
		{"blank lines and comments before a document", "\n\n# text\n\n" + head + "  file: |\n    a\n", "a\n"},
		{"a document that is indented", "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: front}\n  data:\n    file: |\n      a\n", "a\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			objects, err := Read(Sources{Files: []string{"-"}, In: strings.NewReader(row.manifest)})
			if err != nil {
				t.Fatal(err)
			}
			data, _ := objects[0].Object["data"].(map[string]any)
			if diff := cmp.Diff(row.want, data["file"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
