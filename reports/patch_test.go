package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/reports/model"
)

// The terminal shows the diff; the file beside the evidence is what kubectl takes.
func TestPatchOnTheTerminal(t *testing.T) {
	patch := &model.Patch{Follows: []string{"RC3001"}, YAML: "kind: Deployment\n", Diff: ` apiVersion: apps/v1
 kind: Deployment
 spec:
-  exec: {command: [stop]}
+  sleep: {seconds: 5}
`}
	r := model.Report{Scenarios: []model.Scenario{{Suite: "during", ID: "rollout", Evidence: "evidence/x", Patch: patch}}}
	var b bytes.Buffer
	if err := Terminal(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := `    the manifest follows RC3001 with:
     apiVersion: apps/v1
     kind: Deployment
     spec:
    -  exec: {command: [stop]}
    +  sleep: {seconds: 5}
`; !strings.Contains(b.String(), want) {
		t.Errorf("the terminal has\n%s\nand not\n%s", b.String(), want)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "evidence/x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(dir, r); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, "evidence/x", PatchFile))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(written), patch.YAML) {
		t.Errorf("the file has %q", written)
	}
}
