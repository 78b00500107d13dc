package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A Decision is the decision about one candidate.
type Decision struct {
	Baseline   Runs       `json:"-"`          // as far as it was compared
	Candidate  Runs       `json:"-"`          // likewise; named in the comparison as side B
	Comparison Comparison `json:"comparison"` // of the baseline as A with the candidate as B
	Against    []Reason   `json:"against,omitempty"`
	Excepted   []Reason   `json:"excepted,omitempty"` // what would be against it, but for an exception
	Unknown    []Reason   `json:"unknown,omitempty"`  // what cannot be told, because too little was seen
	Notes      []string   `json:"notes,omitempty"`    // what else the policy's owner should know, a sentence each
}

// An Answer is what was decided.
type Answer string

// The answers, the best first.
const (
	Go        Answer = "go"
	Undecided Answer = "cannot tell"
	NoGo      Answer = "no-go"
)

// Answer returns no-go if anything stands against the candidate, and go only if everything that go takes was shown.
func (d Decision) Answer() Answer {
	switch {
	case len(d.Against) > 0:
		return NoGo
	case len(d.Unknown) > 0:
		return Undecided
	default:
		return Go
	}
}

// MarshalJSON adds the answer.
func (d Decision) MarshalJSON() ([]byte, error) {
	type decision Decision
	return json.Marshal(struct {
		Answer Answer `json:"answer"`
		decision
	}{d.Answer(), decision(d)})
}

// Worst returns the worst answer of several decisions.
func Worst(decisions []Decision) Answer {
	for _, answer := range []Answer{NoGo, Undecided} {
		if slices.ContainsFunc(decisions, func(d Decision) bool { return d.Answer() == answer }) {
			return answer
		}
	}
	return Go
}

// A Reason is something that stands against a candidate, or that cannot be told of it.
type Reason struct {
	Scenario  string     `json:"scenario,omitempty"` // suite/id; empty if it is about the run
	Mode      string     `json:"mode,omitempty"`     // empty if it is about the run
	Number    string     `json:"number,omitempty"`   // id; empty if it is about the outcome
	What      string     `json:"what"`
	Exception *Exception `json:"exception,omitempty"` // the exception for it, over or not; absent: none
}

// Decide compares the runs of a candidate with those of its baseline and with the policy, as of a day. What passed in the baseline has to
// pass, no number may be shown to be worse, and for each mode it has to be shown that terminations lose and lag no more. The history, which
// may be empty, counts as further runs of the baseline. With pairs, modes of the baseline are compared with other modes of the candidate,
// and no others count. The error, one line, says that the runs are of different profiles, or have nothing in common.
func Decide(baseline, candidate Runs, pairs []Pair, p Policy, history History, today time.Time) (Decision, error) {
	if err := sameProfile(baseline, candidate); err != nil {
		return Decision{}, err
	}
	if len(pairs) > 0 {
		baseline, candidate = baseline.only(pairs, Pair.inA), candidate.only(pairs, Pair.inB)
	}
	c, err := Compare(baseline, candidate, Scope{Pairs: pairs, History: history})
	if err == nil && len(p.Exceptions) > 0 && c.Worse() { // what is excepted must not make the others worse
		c, err = Compare(baseline, candidate, Scope{Pairs: pairs, History: history, LeaveOut: p.excepts(today)})
	}
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Baseline: baseline, Candidate: candidate, Comparison: c, Unknown: unknown(c, baseline, candidate)}
	reasons := slices.Concat(ofTheRuns(baseline, candidate, c, p), ofOutcomes(c))
	for _, side := range candidate {
		reasons = append(reasons, ofRequirements(side, p)...)
	}
	reasons = append(reasons, ofNumbers(c)...)
	d.Notes = falseClaims(p)
	d.applyExceptions(firstOfEach(reasons), p, today)
	return d, nil
}

// sameProfile returns an error if the runs have different profiles: one was then never meant to show what another did.
func sameProfile(baseline, candidate Runs) error {
	first := baseline[0]
	want := first.Report.Run.ProfileName()
	for _, side := range baseline[1:] {
		if got := side.Report.Run.ProfileName(); got != want {
			return fmt.Errorf("--baseline=%s: baseline %s is of profile %s, and this one of %s: name runs of one",
				side.Folder, first.Folder, want, got)
		}
	}
	for _, side := range candidate {
		if got := side.Report.Run.ProfileName(); got != want {
			return fmt.Errorf("--candidate=%s: it is of profile %s, and the baseline of profile %s: run the candidate again with --profile=%s",
				side.Folder, got, want, want)
		}
	}
	return nil
}

// ofTheRuns returns the reasons about runs and modes: what the candidate does not have at all.
func ofTheRuns(baseline, candidate Runs, c Comparison, p Policy) (reasons []Reason) {
	add := func(form string, args ...any) { reasons = append(reasons, Reason{What: fmt.Sprintf(form, args...)}) }
	for _, side := range candidate {
		for _, broken := range side.Report.Run.Broken {
			add("the run broke: %s", broken)
		}
	}
	for _, mode := range baseline.Modes() {
		passed := func(s model.Scenario) bool { return s.Mode == mode && s.Outcome == verdict.Pass }
		if baseline.have(passed) && !slices.ContainsFunc(c.pairs, func(p Pair) bool { return p.A == mode }) {
			add("nothing was run in %s, in which the baseline passed", mode)
		}
	}
	for _, mode := range p.Required.Modes {
		if !decided(candidate, mode) {
			add("nothing was decided in %s, which the policy requires", mode)
		}
	}
	return reasons
}

// ofOutcomes returns the reasons about scenarios that passed in the baseline and did not again, and about others that fail.
func ofOutcomes(c Comparison) (reasons []Reason) {
	add := func(o OutcomeChange, form string, args ...any) {
		reasons = append(reasons, Reason{Scenario: o.Scenario, Mode: candidateMode(o.Modes), What: fmt.Sprintf(form, args...)})
	}
	for _, o := range c.Outcomes {
		if *o.A == verdict.Pass {
			now := "is " + o.B.String()
			if *o.B == verdict.Fail {
				now = "fails"
			}
			add(o, "it passed in the baseline and %s: %s", now, o.BecauseB)
		} else if *o.B == verdict.Fail {
			add(o, "it was %s in the baseline and fails: %s", o.A, o.BecauseB)
		}
	}
	for _, o := range c.New {
		if *o.B == verdict.Fail {
			add(o, "the baseline did not have it and it fails: %s", o.BecauseB)
		}
	}
	for _, o := range c.Gone {
		if *o.A == verdict.Pass {
			add(o, "it passed in the baseline and was not run")
		}
	}
	return reasons
}

// ofRequirements returns a reason for each thing that the policy requires to pass and that does not. In a mode that was skipped as a whole,
// as one that the host cannot have, nothing is required but what the baseline passed and the modes that the policy names.
func ofRequirements(candidate Side, p Policy) (reasons []Reason) {
	for _, mode := range candidate.Modes() {
		if !(Runs{candidate}).have(notSkippedIn(mode)) {
			continue
		}
		for _, id := range p.Required.Claims {
			reasons = append(reasons, ofClaim(candidate.Report, id, mode)...)
		}
		for _, name := range p.Required.Scenarios {
			i := slices.IndexFunc(candidate.Report.Scenarios, func(s model.Scenario) bool { return s.Mode == mode && s.Name() == name })
			if i < 0 {
				reasons = append(reasons, Reason{Mode: mode, What: fmt.Sprintf("scenario %s has to pass, and was not run", name)})
			} else if s := candidate.Report.Scenarios[i]; s.Outcome != verdict.Pass {
				reasons = append(reasons, Reason{Scenario: name, Mode: mode, What: fmt.Sprintf("scenario %s has to pass and is %s: %s",
					name, s.Outcome, s.Because)})
			}
		}
	}
	return reasons
}

// ofClaim returns a reason for each scenario that decided that a required claim does not hold in a mode, or else that left it open.
func ofClaim(r model.Report, id, mode string) (reasons []Reason) {
	i := slices.IndexFunc(r.Claims, func(c model.Claim) bool { return c.ID == id && c.Mode == mode })
	if i < 0 {
		return []Reason{{Mode: mode, What: fmt.Sprintf("claim %s has to hold, and no scenario that covers it was run", id)}}
	}
	c := r.Claims[i]
	if c.Outcome.Shown() {
		return nil
	}
	by := c.DecidedBy
	if len(c.Parts) > 0 { // parts that hold are not against it
		by = nil
		for _, part := range c.Parts {
			if !part.Outcome.Shown() {
				by = append(by, part.DecidedBy...)
			}
		}
	}
	for _, s := range r.Scenarios {
		decided := slices.ContainsFunc(by, func(by model.Decision) bool { return by.Scenario == s.Name() })
		if s.Mode == mode && slices.Contains(s.Covers, id) && (decided || len(by) == 0) {
			reasons = append(reasons, Reason{Scenario: s.Name(), Mode: mode,
				What: fmt.Sprintf("claim %s has to hold and is %s: %s", id, c.Outcome, c.Because)})
		}
	}
	return reasons
}

// falseClaims returns a note for each required claim that is false: required is then that its truth is shown.
func falseClaims(p Policy) (notes []string) {
	for _, id := range p.Required.Claims {
		if claim, _ := reports.SeedClaimOf(id); claim.Truth != "" {
			notes = append(notes, fmt.Sprintf("The required claim %s is false; what is required instead is that %s.", id, claim.Truth))
		}
	}
	return notes
}

// ofNumbers returns a reason for each number that is shown to be worse.
func ofNumbers(c Comparison) (reasons []Reason) {
	for _, n := range c.Numbers {
		if n.Effect == Worse {
			reasons = append(reasons, Reason{Scenario: n.Scenario, Mode: candidateMode(n.Modes), Number: n.Metric.Key(), What: n.String()})
		}
	}
	return reasons
}

// unknown returns a reason for each number of a mode of which too little was seen. It asks that only of numbers whose values come from
// terminations; of what a run has once, such as its status gap, go asks only that nothing worse is shown.
func unknown(c Comparison, baseline, candidate Runs) (reasons []Reason) {
	for _, p := range c.pairs {
		if !baseline.have(notSkippedIn(p.A)) || !candidate.have(notSkippedIn(p.B)) { // a mode that the host cannot have shows nothing
			continue
		}
		counted := false
		for _, n := range c.Numbers {
			if n.Scenario != "" || n.Modes != p.String() || !n.Metric.Sample.PerTermination() {
				continue
			}
			counted = counted || n.Metric.Sample.Count != nil
			if n.Effect == CannotTell {
				reasons = append(reasons, Reason{Mode: p.B, Number: n.Metric.Key(), What: n.String()})
			}
		}
		if !counted {
			reasons = append(reasons, Reason{Mode: p.B, What: "no scenario that allows no failure has terminations on both sides"})
		}
	}
	return reasons
}

func notSkippedIn(mode string) func(model.Scenario) bool {
	return func(s model.Scenario) bool { return s.Mode == mode && s.Outcome != verdict.Skipped }
}

// decided reports whether any scenario of the mode was decided.
func decided(runs Runs, mode string) bool {
	return runs.have(func(s model.Scenario) bool { return s.Mode == mode && s.Decided() })
}

// firstOfEach keeps the first of the reasons about the same scenario, mode and number.
func firstOfEach(reasons []Reason) (kept []Reason) {
	for _, r := range reasons {
		same := func(k Reason) bool { return k.Scenario == r.Scenario && k.Mode == r.Mode && k.Number == r.Number }
		if r.Scenario == "" && r.Number == "" || !slices.ContainsFunc(kept, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

// applyExceptions sorts the reasons by whether an exception covers them.
func (d *Decision) applyExceptions(reasons []Reason, p Policy, today time.Time) {
	needed := make([]bool, len(p.Exceptions))
	for _, r := range reasons {
		for i, x := range p.Exceptions {
			if !x.covers(r) {
				continue
			}
			needed[i] = true
			if r.Exception == nil || r.Exception.expired(today) {
				r.Exception = &p.Exceptions[i]
			}
		}
		switch {
		case r.Exception == nil:
			d.Against = append(d.Against, r)
		case r.Exception.expired(today):
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

// String returns, for example, "rollout/drained in nftables, rule_lag_max_ms, until 2027-01-31".
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
