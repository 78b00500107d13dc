package conformance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
)

// list finds the scenarios of the suites that were asked for, in every mode.
func (r *run) list(ctx context.Context) error {
	wanted, err := r.selection()
	if err != nil {
		return err
	}
	suites := r.suites(r.runner.UserApp())
	for _, name := range r.names {
		listed, err := r.runner.Listed(ctx, name, suites[name])
		if err != nil {
			return err
		}
		for _, l := range listed {
			if wanted(l.Name) {
				r.scenarios = append(r.scenarios, l)
			}
		}
	}
	return nil
}

// selection is which of the scenarios the options want.
func (r *run) selection() (wanted func(progress.Name) bool, err error) {
	var named, skipped *regexp.Regexp
	for flag, pattern := range map[string]string{"run": r.Pattern, "skip": r.Skip} {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, usage.New(flag+" "+pattern, err.Error(), "use a regular expression, such as '^drained-'")
		}
		if flag == "run" {
			named = compiled
		} else if pattern != "" {
			skipped = compiled
		}
	}
	var again map[progress.Name]bool
	if r.Failed != "" {
		report, err := reports.Read(r.Failed)
		if _, unrecorded := os.Stat(evidence.SessionPath(r.Failed)); errors.Is(err, fs.ErrNotExist) && unrecorded == nil {
			return nil, usage.New("failed "+r.Failed, "it has no report, as after a run that was killed",
				"have it judged first: rollcall report "+r.Failed)
		}
		if err != nil {
			return nil, usage.New("failed "+r.Failed, usage.OneLine(err), "name a run folder, such as out/latest")
		}
		again = map[progress.Name]bool{}
		if s, err := progress.Read(filepath.Join(r.Failed, progress.File)); err == nil {
			for _, e := range s.Expected { // of which some may never have been recorded
				again[e.Name] = true
			}
		}
		for _, s := range report.Scenarios {
			again[progress.Name{Mode: s.Mode, Suite: s.Suite, Scenario: s.ID}] = s.Outcome == verdict.Fail || s.Outcome == verdict.Inconclusive
		}
	}
	return func(of progress.Name) bool {
		return named.MatchString(of.Scenario) && (skipped == nil || !skipped.MatchString(of.Scenario)) && (again == nil || again[of])
	}, nil
}

// printList prints what a run would do and how long that would take, and does nothing of it.
func (r *run) printList(ctx context.Context) error {
	if r.runner.Attached() { // it says which cluster this is, and what may not be done there
		if err := r.clusters.Ready(ctx, r.out, ""); err != nil {
			return err
		}
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	if err := runner.PrintList(r.out, r.scenarios); err != nil {
		return err
	}
	p, err := r.plan(ctx)
	p.print(r.out)
	return err
}
