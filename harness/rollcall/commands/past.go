package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/suites"
)

// lastDurations returns how many seconds each scenario took in the last run below a folder.
func lastDurations(runs string) map[progress.Name]float64 {
	took := map[progress.Name]float64{}
	if last, err := reports.Read(filepath.Join(runs, "latest")); err == nil {
		for _, s := range last.Scenarios {
			took[nameOf(s)] = s.Seconds
		}
	}
	return took
}

func nameOf(s model.Scenario) progress.Name {
	return progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}
}

// failedIn returns which scenarios of a run folder neither passed nor were skipped, or were expected there and not recorded.
func failedIn(folder string) (map[progress.Name]bool, error) {
	report, err := reports.Read(folder)
	if _, unrecorded := os.Stat(evidence.SessionPath(folder)); errors.Is(err, fs.ErrNotExist) && unrecorded == nil {
		return nil, usage.New("--failed="+folder, "it has no report, as after a run that was killed",
			"have it judged first: rollcall report "+folder)
	}
	if err != nil {
		return nil, usage.New("--failed="+folder, usage.OneLine(err), "name a run folder, such as out/latest")
	}
	failed := map[progress.Name]bool{}
	if s, err := progress.Read(filepath.Join(folder, progress.File)); err == nil {
		for _, e := range s.Expected {
			failed[e.Name] = true
		}
	}
	suites := suites.All()
	for _, s := range report.Scenarios {
		red := s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive
		if suites[s.Suite] == nil && red {
			return nil, usage.New("--failed="+folder, s.Suite+"/"+s.ID+" is of no suite", "repeat what recorded it: "+report.Run.Command)
		}
		failed[nameOf(s)] = red
	}
	return failed, nil
}

// skippedWhole says, as the report of a run would, in which modes that the options name every scenario would be skipped.
func skippedWhole(plan run.Plan) []string {
	var foreseen []model.Scenario
	for _, p := range plan.Scenarios {
		s := model.Scenario{Mode: p.Name.Mode, Outcome: verdict.Pass}
		if p.Skipped != "" {
			s.Outcome, s.Because = verdict.Skipped, p.Skipped
		}
		if !p.LeftOut {
			foreseen = append(foreseen, s)
		}
	}
	return reports.SkippedWhole(plan.NamedModes(), foreseen)
}
