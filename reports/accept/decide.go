package accept

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rollcall/harness/verdict"
	"rollcall/reports/compare"
	"rollcall/reports/model"
	"rollcall/reports/trend"
)

// A Decision is about one candidate.
type Decision struct {
	Candidate  compare.Side
	Comparison compare.Comparison // of the baseline, A, with it
	Against    []Reason
	Excepted   []Reason // that would be against it, but for an exception
	Notes      []string // what else the policy's owner should know, a sentence each
}

// Go says whether nothing stands against the candidate.
func (d Decision) Go() bool { return len(d.Against) == 0 }

// A Reason is something that stands against a candidate.
type Reason struct {
	Scenario  string // suite/id; empty if it is about the run
	Mode      string // empty if it is about the run
	Number    string // id; empty if it is about the outcome
	What      string
	Exception *Exception // about it, over or not; nil: none
}

// Decide holds the candidate against its baseline and the policy, on a day. What passed in the baseline has to pass, and
// no number may be worse by more than two runs of the same differ. The history, which may be empty, tells by how much that
// is. The error, one line, is for runs of different profiles, or that have nothing in common.
func Decide(baseline, candidate compare.Side, p Policy, history trend.History, today time.Time) (Decision, error) {
	if err := sameProfile(baseline, candidate); err != nil {
		return Decision{}, err
	}
	c, err := compare.Compare(baseline, candidate, nil, history)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Candidate: candidate, Comparison: c}
	var reasons []Reason
	reasons = append(reasons, ofTheRun(baseline, candidate, p)...)
	reasons = append(reasons, ofOutcomes(c)...)
	reasons = append(reasons, ofRequirements(candidate, p)...)
	reasons = append(reasons, ofNumbers(c)...)
	d.applyExceptions(once(reasons), p, today)
	return d, nil
}

// sameProfile is an error if one run was never to show what the other did.
func sameProfile(baseline, candidate compare.Side) error {
	want, got := baseline.Report.Run.ProfileName(), candidate.Report.Run.ProfileName()
	if want == got {
		return nil
	}
	return fmt.Errorf("accept: baseline %s is of profile %s and candidate %s of profile %s: run the candidate again with --profile=%s",
		baseline.Folder, want, candidate.Folder, got, want)
}

// ofTheRun tells what is not in the candidate at all.
func ofTheRun(baseline, candidate compare.Side, p Policy) (reasons []Reason) {
	add := func(form string, args ...any) { reasons = append(reasons, Reason{What: fmt.Sprintf(form, args...)}) }
	if candidate.Report.Run.Ended.IsZero() {
		add("the run was cut off or has not ended")
	}
	for _, broken := range candidate.Report.Run.Broken {
		add("the run broke: %s", broken)
	}
	for _, mode := range baseline.Modes() {
		passed := slices.ContainsFunc(baseline.Report.Scenarios,
			func(s model.Scenario) bool { return s.Mode == mode && s.Outcome == verdict.Pass })
		if passed && !slices.Contains(candidate.Modes(), mode) {
			add("nothing was run in %s, in which the baseline passed", mode)
		}
	}
	for _, mode := range p.Required.Modes {
		if !slices.Contains(candidate.Modes(), mode) {
			add("nothing was run in %s, which the policy requires", mode)
		}
	}
	return reasons
}

// ofOutcomes tells what passed in the baseline and did not again, and what is new and fails.
func ofOutcomes(c compare.Comparison) (reasons []Reason) {
	for _, o := range c.Outcomes {
		if o.A == verdict.Pass {
			reasons = append(reasons,
				Reason{Scenario: o.Scenario, Mode: o.Modes, What: fmt.Sprintf("it passed in the baseline and is %s: %s", o.B, o.BecauseB)})
		} else if o.B == verdict.Fail {
			reasons = append(reasons,
				Reason{Scenario: o.Scenario, Mode: o.Modes, What: fmt.Sprintf("it was %s in the baseline and fails: %s", o.A, o.BecauseB)})
		}
	}
	for _, o := range c.New {
		if o.B == verdict.Fail {
			reasons = append(reasons, Reason{Scenario: o.Scenario, Mode: o.Modes, What: "the baseline did not have it and it fails: " + o.BecauseB})
		}
	}
	for _, o := range c.Gone {
		if o.A == verdict.Pass {
			reasons = append(reasons, Reason{Scenario: o.Scenario, Mode: o.Modes, What: "it passed in the baseline and was not run"})
		}
	}
	return reasons
}

// ofRequirements tells what the policy wants to pass and does not.
func ofRequirements(candidate compare.Side, p Policy) (reasons []Reason) {
	for _, mode := range candidate.Modes() {
		require := func(what string, wanted func(model.Scenario) bool) {
			met := false
			for _, s := range candidate.Report.Scenarios {
				if s.Mode != mode || !wanted(s) {
					continue
				}
				if met = true; s.Outcome != verdict.Pass {
					reasons = append(reasons,
						Reason{Scenario: s.Name(), Mode: mode, What: fmt.Sprintf("%s has to pass and is %s: %s", what, s.Outcome, s.Because)})
				}
			}
			if !met {
				reasons = append(reasons, Reason{Mode: mode, What: what + " has to pass, and nothing was run for it"})
			}
		}
		for _, claim := range p.Required.Claims {
			require("claim "+claim, func(s model.Scenario) bool { return slices.Contains(s.Covers, claim) })
		}
		for _, name := range p.Required.Scenarios {
			require("scenario "+name, func(s model.Scenario) bool { return s.Name() == name })
		}
	}
	return reasons
}

// ofNumbers tells which are worse by more than their tolerance.
func ofNumbers(c compare.Comparison) (reasons []Reason) {
	for _, m := range c.Numbers {
		if m.Effect == compare.Worse {
			text := m.Metric.Unit.Text
			reasons = append(reasons, Reason{Scenario: m.Scenario, Mode: m.Modes, Number: m.Metric.Key(),
				What: fmt.Sprintf("%s: %s in the baseline, %s now, and two runs of the same differ by %s", m.Metric.Title, text(m.A), text(m.B),
					text(m.Tolerance))})
		}
	}
	return reasons
}

// once keeps one reason of those about the same.
func once(reasons []Reason) (kept []Reason) {
	for _, r := range reasons {
		same := func(k Reason) bool { return k.Scenario == r.Scenario && k.Mode == r.Mode && k.Number == r.Number }
		if r.Scenario == "" || !slices.ContainsFunc(kept, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

// applyExceptions sorts the reasons by whether an exception is about them.
func (d *Decision) applyExceptions(reasons []Reason, p Policy, today time.Time) {
	needed := make([]bool, len(p.Exceptions))
	for _, r := range reasons {
		for i, x := range p.Exceptions {
			if !x.covers(r) {
				continue
			}
			needed[i] = true
			if r.Exception == nil || r.Exception.over(today) {
				r.Exception = &p.Exceptions[i]
			}
		}
		switch {
		case r.Exception == nil:
			d.Against = append(d.Against, r)
		case r.Exception.over(today):
			r.What += fmt.Sprintf("; it was accepted until %s", r.Exception.Until)
			d.Against = append(d.Against, r)
		default:
			d.Excepted = append(d.Excepted, r)
		}
	}
	for i, x := range p.Exceptions {
		if !needed[i] {
			d.Notes = append(d.Notes, fmt.Sprintf("The exception for %s was not needed.", x))
		}
	}
}

// String is like "rollout/drained in nftables, rule_lag_max_ms, until 2027-01-31".
func (x Exception) String() string {
	parts := []string{x.Scenario}
	if x.Mode != "" {
		parts[0] += " in " + x.Mode
	}
	if x.Number != "" {
		parts = append(parts, x.Number)
	}
	return strings.Join(append(parts, "until "+x.Until), ", ")
}
