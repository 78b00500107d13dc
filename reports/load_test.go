package reports_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// emptyFolder is a run folder whose session ended before any scenario.
func emptyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile),
		evidence.Session{Schema: 1, ID: "empty-run", Began: began(), Ended: began()})
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
	if diff := cmp.Diff(model.Summary{Pass: 2, Fail: 1, Inconclusive: 1, Skipped: 1, Requests: 2400, Seconds: 95}, r.Summary); diff != "" {
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

// A scenario that is loaded alone, as from a run that goes on, is judged as it is among the others.
func TestLoadScenario(t *testing.T) {
	dir := runFolder(t)
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Scenarios {
		alone, err := reports.LoadScenario(dir, s.Mode, s.Suite, s.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]model.Scenario{s}, alone.Scenarios); diff != "" {
			t.Errorf("%s in %s (-among others +alone):\n%s", s.Name(), s.Mode, diff)
		}
		if alone.Summary.Seconds != s.Seconds || alone.Run.Expected != 0 || len(alone.Clusters) != 1 {
			t.Errorf("%s in %s: %+v, expected %g s, %d clusters", s.Name(), s.Mode, alone.Summary, alone.Run.Expected, len(alone.Clusters))
		}
	}
	for _, scenario := range []string{"none", "undrained-2"} {
		if _, err := reports.LoadScenario(dir, "iptables", "control", scenario, nil); err == nil {
			t.Errorf("there is no scenario %s", scenario)
		}
	}
}

func TestTenAttemptsAreMoreThanTwo(t *testing.T) {
	dir := emptyFolder(t)
	writeJSON(t, filepath.Join(dir, "evidence", "iptables", evidence.ClusterFile), evidence.Cluster{Mode: "iptables"})
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

func TestExitCode(t *testing.T) {
	for _, row := range []struct {
		sentence string
		summary  model.Summary
		want     int
	}{
		{"all passed", model.Summary{Pass: 2}, 0},
		{"some passed, the rest was skipped", model.Summary{Pass: 1, Skipped: 3}, 0},
		{"a claim failed", model.Summary{Pass: 5, Fail: 1}, 1},
		{"a failure outweighs what is inconclusive", model.Summary{Pass: 5, Fail: 1, Inconclusive: 4}, 1},
		{"one scenario was inconclusive", model.Summary{Pass: 5, Inconclusive: 1}, 3},
		{"everything was skipped, with reasons", model.Summary{Skipped: 3}, 3},
		{"nothing ran at all", model.Summary{}, 3},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := model.ExitCode(model.Report{Summary: row.summary}); got != row.want {
				t.Errorf("exit code %d, want %d", got, row.want)
			}
			broken := model.Report{Summary: row.summary, Run: model.Run{Broken: []string{"nftables: no cluster"}}}
			if got := model.ExitCode(broken); got != 1 && got != 3 {
				t.Errorf("exit code %d of a run that broke", got)
			}
		})
	}
}

func TestWriteFolderReplacesAnEarlierReportAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Pass} {
		r := model.Report{Scenarios: []model.Scenario{{Suite: "rollout", ID: "drained", Outcome: outcome}}}
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
		if strings.Contains(string(text), `"outcome": "fail"`) || strings.Contains(string(text), "<failure") ||
			strings.Contains(string(text), "**fail**") {
			t.Errorf("%s still says fail", e.Name())
		}
	}
	if diff := cmp.Diff([]string{"junit.xml", "metrics.prom", "report.json", "summary.md"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := reports.WriteFolder(filepath.Join(dir, "absent"), model.Report{}); err == nil {
		t.Error("a folder that does not exist was written")
	}
}

// A mode that was asked for by name and skipped whole breaks the run; one that the host cannot have is only reported.
func TestAModeThatWasAskedForIsNotSkippedSilently(t *testing.T) {
	for _, row := range []struct {
		sentence string
		asked    []string
		modes    []string // in which something was recorded
		code     int
	}{
		{"no mode is asked for, and one can be had", nil, []string{"iptables"}, 0},
		{"the one that can be had is asked for", []string{"iptables"}, []string{"iptables"}, 0},
		{"so is the one that cannot", []string{"iptables", "ipvs"}, []string{"iptables"}, 3},
		{"none can be had", nil, nil, 3},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := emptyFolder(t)
			session := evidence.Session{Schema: 1, ID: "r", Began: began(), Ended: began(), Named: row.asked}
			writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), session)
			for _, mode := range []string{"iptables", "ipvs"} {
				writeJSON(t, dir+"/evidence/"+mode+"/"+evidence.ClusterFile, evidence.Cluster{Mode: mode})
				r := rollout(mode, "rollout", "drained", 1, []evidence.Expectation{verdict.NoFailures()})
				if !slices.Contains(row.modes, mode) {
					r = recording{run: evidence.Run{Suite: "rollout", Scenario: "drained", Mode: mode, Attempt: 1, Skipped: "no IP_VS"}}
				}
				record(t, dir, r)
			}
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Contains(strings.Join(r.Run.Broken, " "), "everything was skipped")
			if code := model.ExitCode(r); code != row.code || (code == 3) != told {
				t.Errorf("exit code %d, broken: %q", code, r.Run.Broken)
			}
		})
	}
}
