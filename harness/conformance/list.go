package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// list lists the scenarios that the options select, in every mode. It returns an error if the profile has none of them.
func (r *run) list(ctx context.Context) error {
	wanted, err := r.selection()
	if err != nil {
		return err
	}
	suites := r.suites(r.runner.UserApp())
	for _, name := range r.names {
		for _, l := range r.runner.Listed(ctx, name, suites[name]) {
			if wanted(l.Name) {
				r.scenarios = append(r.scenarios, l)
			}
		}
	}
	if !slices.ContainsFunc(r.scenarios, func(l runner.Listed) bool { return !l.LeftOut }) {
		return r.noScenario()
	}
	return nil
}

// selection returns a function that reports whether the options select a scenario.
func (r *run) selection() (wanted func(progress.Name) bool, err error) {
	var named, skipped *regexp.Regexp
	for flag, pattern := range map[string]string{"run": r.Pattern, "skip": r.Skip} {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, usage.New("--"+flag+"="+pattern, err.Error(), "use a regular expression, such as '^drained-'")
		}
		if flag == "run" {
			named = compiled
		} else if pattern != "" {
			skipped = compiled
		}
	}
	var again map[progress.Name]bool
	if r.Failed != "" {
		if again, err = r.failed(r.Failed); err != nil {
			return nil, err
		}
	}
	return func(of progress.Name) bool {
		return named.MatchString(of.Scenario) && (skipped == nil || !skipped.MatchString(of.Scenario)) && (again == nil || again[of])
	}, nil
}

// failed returns which scenarios of a run folder neither passed nor were skipped, or were expected there and not recorded.
func (r *run) failed(folder string) (map[progress.Name]bool, error) {
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
	suites := r.suites(r.runner.UserApp())
	for _, s := range report.Scenarios {
		red := s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive
		if suites[s.Suite] == nil && red {
			return nil, usage.New("--failed="+folder, s.Suite+"/"+s.ID+" is of no suite", "repeat what recorded it: "+report.Run.Command)
		}
		failed[progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}] = red
	}
	return failed, nil
}

// printList prints what a run would do and how long it would take. It returns the exit code of a run in which all would pass.
func (r *run) printList(ctx context.Context) (code int, err error) {
	if r.runner.Attached() { // prints which cluster this is, and what is not allowed there
		if err := r.clusters.Ready(ctx, r.out, ""); err != nil {
			return 0, err
		}
	}
	if err := r.list(ctx); err != nil {
		return 0, err
	}
	if err := runner.PrintList(r.out, r.scenarios); err != nil {
		return 0, err
	}
	r.plan().print(r.out)
	for _, why := range r.skippedWhole() {
		code = 3
		fmt.Fprintf(r.out, "a run ends with exit code 3: %s\n", why)
	}
	return code, nil
}

// skippedWhole says, as the report of a run would, in which modes that the options name every scenario would be skipped.
func (r *run) skippedWhole() []string {
	var foreseen []model.Scenario
	for _, l := range r.scenarios {
		s := model.Scenario{Mode: l.Name.Mode, Outcome: verdict.Pass}
		if l.Skipped != "" {
			s.Outcome, s.Because = verdict.Skipped, l.Skipped
		}
		if !l.LeftOut {
			foreseen = append(foreseen, s)
		}
	}
	return reports.SkippedWhole(r.asked(), foreseen)
}
