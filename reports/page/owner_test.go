package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// The owner of an app reads first what happened to clients, then why, then what to change, and then the evidence.
func TestOwnersPage(t *testing.T) {
	dir, from := t.TempDir(), filepath.Join("..", "testdata", "advice", "hook-failed")
	var run evidence.Run
	if err := store.ReadJSON(filepath.Join(from, evidence.RunFile), &run); err != nil {
		t.Fatal(err)
	}
	run.UserApp.Answers = "web"
	run.UserApp.Workload = map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "f5"},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "web",
			"lifecycle": map[string]any{"preStop": map[string]any{"exec": map[string]any{"command": []any{"<none>"}}}}}}}}}}
	to := placeOf(dir, run.Mode, run.Suite, run.Scenario)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, filepath.Join(to, evidence.RunFile), run)
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "owner", Began: began})
	writeJSON(t, filepath.Join(dir, "evidence", run.Mode, evidence.ClusterFile), evidence.Cluster{Name: "x", Mode: run.Mode})
	html := string(write(t, dir))
	rest := article(t, html, run.Mode+"."+run.Suite+"."+run.Scenario)
	if n := strings.Count(rest, `<figure class="timeline">`); n != 1 {
		t.Errorf("it has %d timelines", n)
	}
	for _, next := range []string{`<p class="headline">`, "The preStop hook failed", "What the manifest needs for RC3001",
		`<span class="goes">-              - &lt;none&gt;</span>`, `<span class="comes">&#43;            sleep:</span>`,
		`href="evidence/nftables/during/maintenance/patch.yaml"`, "exec: null", `<figure class="timeline">`, `<table class="rules">`} {
		_, after, has := strings.Cut(rest, next)
		if !has {
			t.Fatalf("%s is not there, or too early; then comes\n%.2000s", next, rest)
		}
		rest = after
	}
}
