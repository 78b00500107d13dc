// Package verdict judges a timeline by rules. Rules are data: an expectation
// recorded with the run names one by its permanent id, so that every past run
// can be judged again. It is pure and knows no cluster. README.md lists the rules.
package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// A Verdict is what became of one scenario, with one finding per expectation in the order expected.
type Verdict struct {
	Outcome  Outcome
	Headline string   // what happened to whom and what follows, in one line of at most 120 characters
	Facts    []Detail // of the finding that has the headline, and which others decided the verdict too
	Because  string   // one sentence with numbers
	Findings []Finding
	Claims   []Claim // of the seed that the findings decide
	// Distrusted says that the recording cannot be trusted: the outcome is about the harness, not the cluster.
	Distrusted bool
	// Late says that it cannot only because its own clients were late, which another recording need not be, and that no
	// rule would have failed: a loss is not to be forgotten for a second try.
	Late bool
	// Unmet says that it is inconclusive only because a precondition was not met, which another recording may meet.
	Unmet bool
	// Starved says that it is inconclusive because the host had too little time for its kubelets, and no rule failed: another
	// recording, with less beside it, may tell.
	Starved bool
}

// Judge asks whether the recording can be trusted before it lets the rules decide: one that cannot makes the verdict and every
// finding inconclusive, whatever the rules say. The timeline of a skipped run is not looked at.
func Judge(run evidence.Run, tl timeline.Timeline) Verdict {
	if run.Skipped != "" {
		return Verdict{Outcome: Skipped, Headline: phrase.Headline(run.Skipped), Because: run.Skipped}
	}
	findings := make([]Finding, 0, len(run.Expect))
	for _, x := range run.Expect {
		findings = append(findings, find(x, run, tl))
	}
	if reasons, late := distrust(run, tl); len(reasons) > 0 {
		return cover(untrusted(reasons, late, findings))
	}
	if run.Measures {
		return cover(measured(findings))
	}
	v := cover(decide(findings))
	if run.Attempt > 1 {
		v.Because += fmt.Sprintf("; in attempt %d of %d", run.Attempt, run.Tries)
		v.Facts = append(v.Facts, Detail{"attempt", fmt.Sprintf("%d of %d", run.Attempt, run.Tries)})
	}
	return v
}

// find judges one expectation.
func find(x evidence.Expectation, run evidence.Run, tl timeline.Timeline) Finding {
	rule, ok := ruleOf(x.Rule)
	if !ok {
		because := fmt.Sprintf("this build knows no rule %q", x.Rule)
		return Finding{Rule: x.Rule, Decides: x.Decides, Headline: phrase.Headline(because), Because: because}
	}
	f := rule.find(x, run, tl)
	f.Rule, f.Claim, f.Decides = rule.ID, rule.Claim, x.Decides
	if f.Outcome != Skipped {
		f.Evidence = cmp.Or(f.Evidence, rule.evidence(x))
	}
	f.Headline, f.Facts = phrase.Headline(f.Headline, f.Because), known(f.Facts...)
	return f
}

func (r Rule) find(x evidence.Expectation, run evidence.Run, tl timeline.Timeline) Finding {
	because, err := r.outOfScope(x, run)
	lack, lacking := r.lacking(x, run)
	switch {
	case err != nil:
		return undecided(err.Error())
	case because != "":
		return Finding{Outcome: Skipped, Elsewhere: true, Because: because}
	case lacking:
		return r.withoutRules(x, run, tl, lack)
	}
	return r.put(x, tl)
}

// put puts a rule to what there is of it.
func (r Rule) put(x evidence.Expectation, tl timeline.Timeline) Finding {
	lanes := r.Lanes.of(x, tl)
	f := r.judge(x, tl, lanes)
	f.Exposure = Exposure{r.exposed(x, tl, lanes), r.Unit}
	if f.Outcome == Pass && f.Exposure.Count == 0 {
		f = Finding{Because: "never put to the test: " + r.Untested, Exposure: f.Exposure}
	}
	return f
}

// untrusted keeps what the findings would have said without letting them count.
func untrusted(reasons []reason, late bool, findings []Finding) Verdict {
	v := Verdict{Distrusted: true, Findings: findings}
	v.Late = late && !slices.ContainsFunc(findings, func(f Finding) bool { return f.Outcome == Fail })
	var because []string
	for _, r := range reasons {
		because = append(because, r.because)
		v.Facts = append(v.Facts, Detail{"reason", r.because})
	}
	v.Because = "the recording cannot be trusted: " + enumerate(because)
	brief := "the recording cannot be trusted: " + reasons[0].brief
	v.Headline = phrase.Headline(brief)
	if more := len(reasons) - 1; more > 0 {
		v.Headline = phrase.Headline(fmt.Sprintf("%s; and %s more", brief, phrase.Count(more, "reason")), brief)
	}
	for i := range findings {
		if f := &findings[i]; f.Outcome == Pass || f.Outcome == Fail {
			f.Headline = phrase.Headline(fmt.Sprintf("would %s if the recording could be trusted: %s", f.Outcome, f.Headline))
			f.Because = fmt.Sprintf("would be %s if the recording could be trusted: %s", f.Outcome, f.Because)
			f.Outcome = Inconclusive
		}
	}
	return v
}

// measured decides nothing: a second recording does.
func measured(findings []Finding) Verdict {
	const because = "it measured for a second recording, which was not made"
	for i := range findings {
		f := &findings[i]
		f.Outcome, f.Headline, f.Facts, f.Because, f.Witnesses = Inconclusive, because, nil, because, nil
	}
	return Verdict{Headline: because, Because: because, Findings: findings}
}

// decide lets the worst findings decide: fail, then inconclusive, then pass. Rules that are not for this
// cluster are left out.
func decide(findings []Finding) Verdict {
	v := Verdict{Findings: findings}
	by := make(map[Outcome][]Finding)
	for _, f := range findings {
		by[f.Outcome] = append(by[f.Outcome], f)
	}
	switch {
	case len(by[Fail]) > 0:
		v.Outcome = Fail
	case len(by[Inconclusive]) > 0:
		v.Starved = slices.ContainsFunc(by[Inconclusive], func(f Finding) bool { return f.Starved })
		v.Unmet = !slices.ContainsFunc(by[Inconclusive], func(f Finding) bool { return !IsPrecondition(f.Rule) })
	case len(by[Pass]) > 0:
		v.Outcome = Pass
	case len(findings) == 0:
		v.Because = "0 rules were expected to hold, so nothing was judged"
	default:
		v.Because = fmt.Sprintf("0 of %d rules are for this cluster, so nothing was judged", len(findings))
	}
	deciding := by[v.Outcome]
	if len(deciding) == 0 {
		v.Headline = v.Because
		return v
	}
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

// mostTelling is the headline of the finding whose rule comes first in Rules, with its facts and the names of the others.
func mostTelling(findings []Finding) (headline string, facts []Detail) {
	rules := Rules()
	rank := func(f Finding) int {
		if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }); i >= 0 {
			return i
		}
		return len(rules)
	}
	sorted := slices.SortedStableFunc(slices.Values(findings), func(a, b Finding) int { return rank(a) - rank(b) })
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
