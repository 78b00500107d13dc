// Package verdict judges a timeline by rules. Rules are data: an expectation
// recorded with the run names a rule by its permanent id, so that every past run
// can be judged again. The package is pure and knows no cluster. README.md lists the rules.
package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Verdict is the outcome of one scenario, with one finding per expectation, in the same order. It is the same after it was JSON.
type Verdict struct {
	Outcome  Outcome   `json:"outcome"`
	Headline string    `json:"headline"`       // what happened to whom and what follows, in one line of at most 120 characters
	Facts    []Detail  `json:"facts,omitzero"` // of the finding that has the headline, and which other rules decided the verdict too
	Because  string    `json:"because"`        // one sentence with numbers
	Findings []Finding `json:"findings,omitzero"`
	Claims   []Claim   `json:"claims,omitzero"` // the seed claims that the findings decide
	// Distrust lists why parts of the recording cannot be trusted, and the rules whose outcome that leaves unknown.
	Distrust []Reason `json:"distrust,omitzero"`
	// Distrusted says that the verdict is inconclusive for such a reason: the outcome is about the harness, not the cluster.
	Distrusted bool `json:"distrusted,omitzero"`
	// Unmet says that the verdict is inconclusive only because a precondition was not met, which another recording may meet.
	Unmet bool `json:"unmet,omitzero"`
	// Retry says whether the host was too slow, and what another recording needs to tell more. It is also set if a rule failed beside
	// the excused one: the same host may have caused that.
	Retry Retry `json:"retry,omitzero"`
	// Waits lists the waits that excuse something, without repetition.
	Waits []timeline.Wait `json:"waits,omitzero"`
	// Limits lists what the recording did not look at.
	Limits []evidence.Limit `json:"limits,omitzero"`
	// Bug says whether the cluster has the bug of Kubernetes that the scenario looks for, BugKnown whether its version is known to have
	// it, and BugFixed in which release of its minor version, or else of a later one, it is fixed; empty in a scenario without a bug.
	Bug      BugAnswer `json:"bug,omitzero"`
	BugKnown bool      `json:"bug_known,omitzero"`
	BugFixed string    `json:"bug_fixed,omitzero"`
}

// Judge judges a timeline by the rules that the run expects, as far as the recording can be trusted. A finding that a reason for distrust
// makes unknown is inconclusive, and then so is the verdict, unless a rule fails by what is certain. The timeline of a skipped run
// is not used.
func Judge(run evidence.Run, tl timeline.Timeline) Verdict {
	if run.Skipped != "" {
		return Verdict{Outcome: Skipped, Headline: phrase.Headline(run.Skipped), Because: run.Skipped}.answerBug(run)
	}
	reasons := distrust(run, tl)
	findings := make([]Finding, 0, len(run.Expect))
	failing := false // a rule fails, or would if the recording could be trusted
	for _, x := range run.Expect {
		f, q := find(x, run, tl)
		failing = failing || f.Outcome == Fail
		findings = append(findings, q.unlessInDoubt(f, reasons, tl, run.Measures))
	}
	late := !failing && len(reasons) > 0 && !slices.ContainsFunc(reasons, func(r Reason) bool { return !r.late() })
	var v Verdict
	deciding := slices.DeleteFunc(slices.Clone(reasons), func(r Reason) bool { return !r.decides() })
	switch {
	case run.Measures && len(reasons) > 0:
		v = withClaims(untrusted(reasons, findings))
	case run.Measures:
		v = withClaims(measured(findings))
	case len(deciding) > 0 && !slices.ContainsFunc(findings, func(f Finding) bool { return f.Outcome == Fail }):
		v = withClaims(untrusted(deciding, findings))
	default:
		v = withClaims(decide(findings))
		if run.Attempt > 1 {
			v.Because += fmt.Sprintf("; in attempt %d of %d", run.Attempt, run.Tries)
			v.Facts = append(v.Facts, Detail{"attempt", fmt.Sprintf("%d of %d", run.Attempt, run.Tries)})
		}
		for _, r := range deciding {
			v.Facts = append(v.Facts, Detail{"not trusted otherwise", r.Because})
		}
	}
	for _, before := range run.Earlier {
		v.Facts = append(v.Facts, Detail{"before", before})
	}
	if run.FailedEarlier != "" && v.Outcome == Pass {
		v = v.afterFailure(run.FailedEarlier)
	}
	v.Distrust = reasons
	if late && v.Distrusted {
		v.Retry = LowerRate
	}
	return v.excused(deciding).answerBug(run).limited(limitsOf(run, tl))
}

// afterFailure returns what a pass is worth after an attempt that failed by something that nothing excuses: no green.
func (v Verdict) afterFailure(failed string) Verdict {
	v.Outcome, v.Claims = Inconclusive, nil
	v.Because = fmt.Sprintf("failed once, passed when alone: %s; then: %s", failed, v.Because)
	v.Headline = phrase.Headline("failed once, passed when alone: "+failed, "failed once, passed when alone")
	return v
}

// excused fills in Retry and Waits from the findings and the deciding reasons.
func (v Verdict) excused(deciding []Reason) Verdict {
	note := func(retry Retry, waits []timeline.Wait) {
		v.Retry = max(v.Retry, retry)
		for _, w := range waits {
			if !slices.Contains(v.Waits, w) {
				v.Waits = append(v.Waits, w)
			}
		}
	}
	for _, f := range v.Findings {
		note(f.Retry, f.Excused)
	}
	for _, r := range deciding {
		note(r.Retry, r.Excused)
	}
	return v
}

// find judges one expectation, as if all of the recording could be trusted.
func find(x Expectation, run evidence.Run, tl timeline.Timeline) (Finding, ruling) {
	rule, ok := RuleOf(x.Rule)
	if !ok {
		because := fmt.Sprintf("this build knows no rule %q", x.Rule)
		f := Finding{Rule: x.Rule, Decides: x.Claims, Headline: phrase.Headline(because), Because: because}
		return f, ruling{}
	}
	q := newRuling(rule, x, run, tl)
	return q.find(tl), q
}

func (r Rule) find(x Expectation, run evidence.Run, tl timeline.Timeline) Finding {
	because, err := r.outOfScope(x, run)
	lack, lacking := r.lacking(x, run)
	switch {
	case err != nil:
		return undecided(err.Error())
	case because != "":
		return Finding{Outcome: Skipped, OtherMode: true, Because: because}
	case lacking && lack.Name == x.Needs:
		return Finding{Outcome: Skipped, Because: lacks(lack)}
	case lacking:
		return r.withoutRules(x, run, tl, lack)
	}
	return r.judge(x, tl)
}

// judge judges an expectation by the rule's question. If there was nothing to test, the finding says so.
func (r Rule) judge(x Expectation, tl timeline.Timeline) Finding {
	a := args{x, tl, r.Lanes.of(x, tl), r.Unit}
	f := undecided(r.missing(a))
	if f.Because == "" && (r.Lanes == NoLanes || len(a.lanes) > 0) {
		f = r.gaveUp(r.question.answer(a), a)
	}
	f.Exposure = Exposure{r.exposed(a), r.Unit}
	if f.Because == "" || f.Outcome == Pass && f.Exposure.Count == 0 {
		f = Finding{Because: "not tested: " + a.fill(r.Untested), Exposure: f.Exposure}
	}
	if slowest := a.slowest(); r.bySending && f.Outcome == Pass && slowest > 0 {
		unseen := Detail{"resolution", fmt.Sprintf("an outage shorter than %s may not be seen at %.3g requests/s",
			phrase.Duration(time.Duration(float64(time.Second)/slowest)), slowest)}
		f.Facts, f.Because = append(f.Facts, unseen), f.Because+"; "+unseen.Value
	}
	return f
}

// slowest returns the lowest rate per second that one of the lanes achieved; 0 if none is known.
func (a args) slowest() (rate float64) {
	for _, lane := range a.lanes {
		if r := lane.Summary.Rate; r > 0 && (rate == 0 || r < rate) {
			rate = r
		}
	}
	return rate
}

// missing returns why the rule cannot judge; empty if it can.
func (r Rule) missing(a args) string {
	for _, kind := range slices.Concat([]evidence.EventKind{a.From, a.To}, r.marks) {
		if _, ok := a.tl.Mark(kind); !ok && timeline.IsMark(kind) {
			return markMissing(kind)
		}
	}
	if r.lack == nil {
		return ""
	}
	return r.lack(a)
}

// untrusted returns a verdict that is inconclusive for some reasons for distrust.
func untrusted(reasons []Reason, findings []Finding) Verdict {
	v := Verdict{Distrusted: true, Findings: findings}
	var because []string
	for _, r := range reasons {
		because = append(because, r.Because)
		v.Facts = append(v.Facts, Detail{"reason", r.Because})
	}
	v.Because = "the recording cannot be trusted: " + enumerate(because)
	brief := "the recording cannot be trusted: " + reasons[0].Brief
	v.Headline = phrase.Headline(brief)
	if more := len(reasons) - 1; more > 0 {
		v.Headline = phrase.Headline(fmt.Sprintf("%s; and %s more", brief, phrase.Count(more, "reason")), brief)
	}
	return v
}

// measured returns the verdict about a recording that only measures for a second one, which decides.
func measured(findings []Finding) Verdict {
	const because = "calibration only: the second recording was not made"
	for i := range findings {
		f := &findings[i]
		f.Outcome, f.Headline, f.Facts, f.Because, f.Witnesses = Inconclusive, because, nil, because, nil
	}
	return Verdict{Headline: because, Because: because, Findings: findings}
}

// decide returns the verdict that the worst findings decide: fail, then inconclusive, then pass. Skipped findings do
// not count.
func decide(findings []Finding) Verdict {
	v := Verdict{Findings: findings}
	judged := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Outcome == Skipped })
	if len(judged) == 0 {
		v.Because = fmt.Sprintf("0 of %d rules are for this cluster, so nothing was judged", len(findings))
		if len(findings) == 0 {
			v.Because = "0 rules were expected to hold, so nothing was judged"
		}
		v.Headline = v.Because
		return v
	}
	deciding := decisive(judged)
	v.Outcome = deciding[0].Outcome
	v.Unmet = v.Outcome == Inconclusive && !slices.ContainsFunc(deciding, func(f Finding) bool { return !f.Precondition })
	var because []string
	for _, f := range deciding {
		because = append(because, f.Because)
	}
	v.Because = enumerate(because)
	if v.Outcome == Pass && len(deciding) > 1 {
		v.Because = fmt.Sprintf("all %d rules hold: %s", len(deciding), v.Because)
	}
	v.Headline, v.Facts = mostTelling(deciding)
	return v
}

// mostTelling returns the headline of the finding whose rule comes first in Rules, with its facts and the names of the others.
func mostTelling(findings []Finding) (headline string, facts []Detail) {
	sorted := slices.SortedStableFunc(slices.Values(findings), func(a, b Finding) int { return rank(a.Rule) - rank(b.Rule) })
	var others []string
	for _, f := range sorted[1:] {
		others = append(others, f.Rule)
	}
	first := sorted[0]
	facts = slices.Clone(first.Facts)
	if len(others) == 0 {
		return first.Headline, facts
	}
	names := strings.Join(others, ", ")
	if first.Outcome == Pass {
		return first.Headline, append(facts, Detail{"other rules that hold", names})
	}
	facts = append(facts, Detail{"likewise " + first.Outcome.String(), names})
	return phrase.Headline(fmt.Sprintf("%s; and %s more", first.Headline, phrase.Count(len(others), "rule")), first.Headline), facts
}

// enumerate joins the first three of several reasons and counts the rest.
func enumerate(reasons []string) string {
	const shown = 3
	if len(reasons) <= shown {
		return strings.Join(reasons, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(reasons[:shown], "; "), len(reasons)-shown)
}
