package conformance

import (
	"context"
	"regexp"

	"rollcall/harness"
	"rollcall/harness/runner"
	"rollcall/harness/usage"
)

// A scenario is one in a mode.
type scenario struct {
	harness.Scenario
	listed  runner.Listed
	seconds float64 // that it took in the last run, or would by an estimate
}

// list finds the scenarios of the suites that were asked for, in every mode.
func (r *run) list(ctx context.Context) error {
	pattern, err := regexp.Compile(r.Pattern)
	if err != nil {
		return usage.New("run "+r.Pattern, err.Error(), "use a regular expression, such as '^drained-'")
	}
	suites := r.suites(r.runner.UserApp())
	for _, name := range r.names {
		all := map[string]harness.Scenario{}
		var named []harness.Scenario
		for _, s := range suites[name] {
			if pattern.MatchString(s.ID) {
				all[s.ID], named = s, append(named, s)
			}
		}
		listed, err := r.runner.Listed(ctx, name, named)
		if err != nil {
			return err
		}
		for _, l := range listed {
			r.scenarios = append(r.scenarios, scenario{Scenario: all[l.Scenario], listed: l, seconds: l.Seconds})
		}
	}
	return nil
}

// printList prints what a run would do and how long that would take, and does nothing of it.
func (r *run) printList(ctx context.Context) error {
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
