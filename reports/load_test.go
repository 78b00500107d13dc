package reports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/reports"
)

// emptyFolder is a run folder whose session ended before any scenario.
func emptyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "empty-run", Began: began()})
	return dir
}

func TestLoadOrdersAndCollapses(t *testing.T) {
	dir := runFolder(t)
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Evidence string
		Attempts int
		Outcome  string
	}
	var got []entry
	for _, s := range r.Scenarios {
		got = append(got, entry{s.Evidence, s.Attempts, s.Outcome.String()})
	}
	want := []entry{
		{"evidence/iptables/control/undrained-2", 2, "pass"},
		{"evidence/iptables/rollout/drained", 1, "pass"},
		{"evidence/nftables/control/undrained", 1, "inconclusive"},
		{"evidence/nftables/rollout/drained", 1, "fail"},
		{"evidence/ipvs/rollout/drained", 1, "skipped"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(reports.Summary{Pass: 2, Fail: 1, Inconclusive: 1, Skipped: 1, Requests: 2400, Seconds: 95}, r.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	again, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("loaded twice, reports differ:\n%s", diff)
	}
}

func TestTenAttemptsAreMoreThanTwo(t *testing.T) {
	dir := emptyFolder(t)
	put(t, filepath.Join(dir, "evidence", "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"})
	for _, attempt := range []int{1, 2, 10} {
		record(t, dir, rollout("iptables", "control", "undrained", attempt, nil))
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Scenarios) != 1 || r.Scenarios[0].Attempts != 10 {
		t.Errorf("%d scenarios, of the first %d attempts", len(r.Scenarios), r.Scenarios[0].Attempts)
	}
}

func TestBadFoldersAreOneLine(t *testing.T) {
	scenario := filepath.Join("evidence", "iptables", "rollout", "drained")
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		sentence string
		spoil    func(*testing.T, string)
		file     string
		reason   string
	}{
		{"a folder of something else", remove("evidence/session.json"), "evidence/session.json", "not a run folder"},
		{"half a session", write("evidence/session.json", `{"schema":1,`), "evidence/session.json", "unexpected end of JSON input"},
		{"a session by a newer build", write("evidence/session.json", `{"schema":99}`), "evidence/session.json", "schema 99, this build reads up to 1: use a newer Rollcall"},
		{"a mode without its cluster", remove("evidence/iptables/cluster.json"), "evidence/iptables/cluster.json", "no such file"},
		{"a cluster of another mode", write("evidence/iptables/cluster.json", `{"mode":"ipvs"}`), "evidence/iptables/cluster.json", `mode "ipvs" in the folder of mode "iptables"`},
		{"a scenario without run.json", remove(scenario + "/run.json"), scenario + "/run.json", "half-written"},
		{"a scenario without hits", remove(scenario + "/hits.parquet"), scenario + "/hits.parquet", "half-written"},
		{"hits cut short", write(scenario+"/hits.parquet", "PAR1"), scenario + "/hits.parquet", ""},
		{"events cut short", write(scenario+"/events.jsonl", `{"at":1,"kind":"load-b`), scenario + "/events.jsonl", "line 1"},
		{"a scenario by a newer build", write(scenario+"/run.json", `{"schema":99}`), scenario, "schema 99"},
		{"a scenario moved elsewhere", write(scenario+"/run.json", `{"schema":1,"mode":"iptables","suite":"rollout","scenario":"other","attempt":1,"skipped":"x"}`),
			scenario + "/run.json", "attempt 1 of iptables/rollout/other, the folder says otherwise"},
		{"an attempt in the folder of another", write(scenario+"/run.json", `{"schema":1,"mode":"iptables","suite":"rollout","scenario":"drained","attempt":2,"skipped":"x"}`),
			scenario + "/run.json", "attempt 2 of iptables/rollout/drained, the folder says otherwise"},
		{"lanes of one name", write(scenario+"/run.json", `{"schema":1,"mode":"iptables","suite":"rollout","scenario":"drained","attempt":1,"lanes":[{"id":"a"},{"id":"a"}]}`),
			scenario, `lane id "a" is empty or used twice`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := runFolder(t)
			row.spoil(t, dir)
			_, err := reports.Load(dir)
			if err == nil {
				t.Fatal("it was loaded")
			}
			text := err.Error()
			for _, part := range []string{"reports: load " + dir, filepath.FromSlash(row.file), row.reason} {
				if !strings.Contains(text, part) {
					t.Errorf("error %q does not say %q", text, part)
				}
			}
			if strings.Contains(text, "\n") {
				t.Errorf("error takes more than a line: %q", text)
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	for _, row := range []struct {
		sentence string
		summary  reports.Summary
		want     int
	}{
		{"all passed", reports.Summary{Pass: 2}, 0},
		{"some passed, the rest was skipped", reports.Summary{Pass: 1, Skipped: 3}, 0},
		{"a claim failed", reports.Summary{Pass: 5, Fail: 1}, 1},
		{"a failure outweighs what is inconclusive", reports.Summary{Pass: 5, Fail: 1, Inconclusive: 4}, 1},
		{"one scenario was inconclusive", reports.Summary{Pass: 5, Inconclusive: 1}, 3},
		{"everything was skipped, with reasons", reports.Summary{Skipped: 3}, 0},
		{"nothing ran at all", reports.Summary{}, 3},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := reports.ExitCode(reports.Report{Summary: row.summary}); got != row.want {
				t.Errorf("exit code %d, want %d", got, row.want)
			}
			broken := reports.Report{Summary: row.summary, Run: reports.Run{Broken: []string{"nftables: no cluster"}}}
			if got := reports.ExitCode(broken); got != 1 && got != 3 {
				t.Errorf("exit code %d of a run that broke", got)
			}
		})
	}
}

func TestWriteFolderReplacesAnEarlierReportAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Pass} {
		r := reports.Report{Scenarios: []reports.Scenario{{Suite: "rollout", ID: "drained", Outcome: outcome}}}
		if err := reports.WriteFolder(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"outcome": "fail"`) || strings.Contains(string(text), "<failure") || strings.Contains(string(text), "**fail**") {
			t.Errorf("%s still says fail", e.Name())
		}
	}
	if diff := cmp.Diff([]string{"junit.xml", "report.json", "summary.md"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := reports.WriteFolder(filepath.Join(dir, "absent"), reports.Report{}); err == nil {
		t.Error("a folder that does not exist was written")
	}
}
