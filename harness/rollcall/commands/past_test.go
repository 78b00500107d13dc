package commands

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// What was red in a run folder is to be repeated, and what was expected there and is not in its report.
func TestFailedInAFolder(t *testing.T) {
	red := func(suite string, o verdict.Outcome) model.Scenario {
		return model.Scenario{Suite: suite, ID: "drained", Mode: "iptables", Outcome: o}
	}
	unrecorded := progress.Name{Mode: "nftables", Suite: "rollout", Scenario: "drained"}
	folder := t.TempDir()
	board, err := progress.Open(folder, "r", time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	board.Expect([]progress.Expected{{Name: unrecorded}})
	report := model.Report{APIVersion: model.APIVersion, Kind: model.Kind, Scenarios: []model.Scenario{
		red("rollout", verdict.Fail), red("control", verdict.Pass),
		red("statusgap", verdict.Inconclusive), red("switchover", verdict.Skipped)}}
	if err := store.WriteJSON(filepath.Join(folder, reports.ReportFile), report); err != nil {
		t.Fatal(err)
	}
	got, err := failedIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	in := func(suite string) progress.Name {
		return progress.Name{Mode: "iptables", Suite: suite, Scenario: "drained"}
	}
	want := map[progress.Name]bool{in("rollout"): true, in("control"): false, in("statusgap"): true, in("switchover"): false, unrecorded: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A folder from which nothing can be repeated is refused in a line that says what to do.
func TestFoldersFromWhichNothingCanBeRepeated(t *testing.T) {
	killed, during := t.TempDir(), t.TempDir()
	if err := store.WriteJSON(evidence.SessionPath(killed), evidence.Session{}); err != nil {
		t.Fatal(err)
	}
	report := model.Report{APIVersion: model.APIVersion, Kind: model.Kind, Scenarios: []model.Scenario{
		{Suite: "during", ID: "maintenance", Outcome: verdict.Fail}}}
	report.Run.Command = "rollcall during -- ./deploy.sh"
	if err := store.WriteJSON(filepath.Join(during, reports.ReportFile), report); err != nil {
		t.Fatal(err)
	}
	for folder, says := range map[string]string{
		during:      "is of no suite: repeat what recorded it: rollcall during -- ./deploy.sh",
		t.TempDir(): "name a run folder",
		killed:      "have it judged first: rollcall report ",
	} {
		if _, err := failedIn(folder); !usage.Is(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

// How long scenarios took in the last run is what its report says.
func TestLastDurations(t *testing.T) {
	runs := t.TempDir()
	report := model.Report{APIVersion: model.APIVersion, Kind: model.Kind, Scenarios: []model.Scenario{
		{Suite: "rollout", ID: "drained", Mode: "iptables", Seconds: 41}}}
	if err := store.WriteJSON(filepath.Join(runs, "latest", reports.ReportFile), report); err != nil {
		t.Fatal(err)
	}
	if took := lastDurations(runs)[progress.Name{Mode: "iptables", Suite: "rollout", Scenario: "drained"}]; took != 41 {
		t.Errorf("%v s, want 41", took)
	}
}

// A mode that an option names, and of which everything would be skipped, ends a run with exit code 3.
func TestSkippedWhole(t *testing.T) {
	plan := run.Plan{Options: run.Options{Modes: "iptables,ipvs"}, Modes: []string{"iptables", "ipvs"}, Scenarios: []run.Planned{
		{Name: progress.Name{Mode: "iptables"}}, {Name: progress.Name{Mode: "ipvs"}, Skipped: "the kernel lacks it"},
		{Name: progress.Name{Mode: "ipvs"}, LeftOut: true}}}
	if diff := cmp.Diff([]string{"ipvs: everything was skipped, which shows nothing: the kernel lacks it"}, skippedWhole(plan)); diff != "" {
		t.Error(diff)
	}
	if plan.Options.Modes = ""; len(skippedWhole(plan)) > 0 {
		t.Errorf("a mode that nobody named: %q", skippedWhole(plan))
	}
}
