package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
)

// What was not looked at stands with each recording that has the limit and, if there are several scenarios, once for the run.
func TestLimitsOnThePage(t *testing.T) {
	const text, of = "clients on 3 of 50 <nodes>", `<li>clients on 3&nbsp;of 50 &lt;nodes&gt; <small>`
	for _, row := range []struct {
		sentence string
		recorded []string
		run      string // what the page says of the run; empty: nothing
	}{
		{"one scenario", []string{"iptables-drained"}, ""},
		{"two scenarios with the same limit", []string{"iptables-drained", "iptables-undrained"},
			of + "iptables: recorded/drained, recorded/undrained · <code>rollcall explain RC4006</code></small></li>"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := t.TempDir()
			writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "limits", Began: began})
			for _, name := range row.recorded {
				from := filepath.Join("..", "testdata", "recorded", name)
				var run evidence.Run
				if err := store.ReadJSON(filepath.Join(from, evidence.RunFile), &run); err != nil {
					t.Fatal(err)
				}
				to := placeOf(dir, run.Mode, run.Suite, run.Scenario)
				if err := os.CopyFS(to, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				run.Limits = []evidence.Limit{{ID: evidence.NodesNotAsked, Text: text}}
				writeJSON(t, filepath.Join(to, evidence.RunFile), run)
			}
			html := strings.ReplaceAll(string(write(t, dir)), "\u00a0", "&nbsp;")
			for _, name := range row.recorded {
				mode, id, _ := strings.Cut(name, "-")
				says := of + "<code>rollcall explain RC4006</code> says more</small></li>"
				if part := article(t, html, mode+".recorded."+id); !strings.Contains(part, says) {
					t.Errorf("of %s the page lacks %s", name, says)
				}
			}
			if has := strings.Contains(html, `id="limits"`); has != (row.run != "") || !strings.Contains(html, row.run) {
				t.Errorf("of the run the page says what was not looked at: %v, want %q", has, row.run)
			}
		})
	}
}
