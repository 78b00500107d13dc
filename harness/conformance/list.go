package conformance

import (
	"context"
	"path/filepath"
	"regexp"

	"rollcall/harness"
	"rollcall/harness/progress"
	"rollcall/harness/runner"
	"rollcall/harness/usage"
	"rollcall/harness/verdict"
	"rollcall/reports"
)

// A scenario is one in a mode.
type scenario struct {
	harness.Scenario
	listed  runner.Listed
	seconds float64 // that it took in the last run, or would by an estimate
}

// list finds the scenarios of the suites that were asked for, in every mode.
func (r *run) list(ctx context.Context) error {
	wanted, err := r.selection()
	if err != nil {
		return err
	}
	suites := r.suites(r.runner.UserApp())
	for _, name := range r.names {
		all := map[string]harness.Scenario{}
		var named []harness.Scenario
		for _, s := range suites[name] {
			all[s.ID], named = s, append(named, s)
		}
		listed, err := r.runner.Listed(ctx, name, named)
		if err != nil {
			return err
		}
		for _, l := range listed {
			if !wanted(l) {
				continue
			}
			r.scenarios = append(r.scenarios, scenario{Scenario: all[l.Scenario], listed: l, seconds: l.Seconds})
		}
	}
	return nil
}

// selection is which of the scenarios the options want.
func (r *run) selection() (wanted func(runner.Listed) bool, err error) {
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
	return func(l runner.Listed) bool {
		return named.MatchString(l.Scenario) && (skipped == nil || !skipped.MatchString(l.Scenario)) &&
			(again == nil || again[progress.Name{Mode: l.Mode, Suite: l.Suite, Scenario: l.Scenario}])
	}, nil
}

// printList prints what a run would do and how long that would take, and does nothing of it.
func (r *run) printList(ctx context.Context) error {
	if r.runner.Attached() { // it says which cluster this is, and what may not be done there
		if err := r.clusters.check(ctx, r.out, ""); err != nil {
			return err
		}
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	var all []runner.Listed
	for _, s := range r.scenarios {
		all = append(all, s.listed)
	}
	if err := runner.PrintList(r.out, all); err != nil {
		return err
	}
	p, err := r.plan(ctx)
	p.print(r.out)
	return err
}
