package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
)

// recordAndJudge records a scenario and returns the verdict of the last attempt, judged from the run folder as a replay does. It
// records again up to the scenario's tries while only a precondition is not met, such as the damage of a negative control; once
// more if the scenario has Adapt; and up to twice if this machine was too slow, the second time alone. The folders of all attempts
// are kept.
func (m *ModeRun) recordAndJudge(ctx context.Context, c cluster.Cluster, suite string, s harness.Scenario,
	out io.Writer) (v verdict.Verdict, err error) {
	entry := m.run.board.Entry(progress.Name{Mode: c.Mode(), Suite: suite, Scenario: s.ID})
	defer func() { entry.End(shown(v, err)) }()
	run := func(number, tries int, before earlier) (result, error) {
		a := attempt{mode: m, cluster: c, suite: suite, entry: entry, out: out, number: number, tries: tries, earlier: before}
		return a.run(ctx, &s)
	}
	return retry(s, run, func(line string) { fmt.Fprintf(out, "%s %s: %s\n", c.Mode(), s.ID, line) })
}

// mostSlowed is how often a scenario is recorded again because this machine was too slow: with no other under load
// beside it, and then alone.
const mostSlowed = 2

// earlier has the results of earlier attempts for which this machine was too slow.
type earlier struct {
	results []string
	failed  string // the first that also failed by something else; empty: none
}

// add notes the verdict of an attempt.
func (e *earlier) add(number int, v verdict.Verdict) {
	e.results = append(e.results, fmt.Sprintf("attempt %d: %s: %s", number, v.Outcome, v.Headline))
	if v.Outcome == verdict.Fail && e.failed == "" {
		e.failed = v.Headline
	}
}

// retry calls attempt until no other is due, and returns the verdict of the last one. Its arguments are the number of the attempt, from
// 1; how many there may be; and the earlier ones for which this machine was too slow.
func retry(s harness.Scenario, attempt func(number, tries int, before earlier) (result, error), print func(string)) (v verdict.Verdict,
	err error) {
	tries, slowed := triesOf(s), earlier{}
	for number := 1; number <= tries; number++ {
		res, err := attempt(number, tries, slowed)
		if v = res.verdict; err != nil {
			return v, err
		}
		if res.again && s.UnderLoad().Adapt != nil {
			print("the first recording only measures; the second one is judged")
			continue
		}
		print(fmt.Sprintf("%s: %s", v.Outcome, cmp.Or(v.Headline, v.Because)))
		for _, f := range v.Findings {
			if f.Exposure.Unit != "" { // else the rule was skipped
				print(fmt.Sprintf("%s %s (tested by %s)", f.Outcome, f.Rule, phrase.Count(f.Exposure.Count, f.Exposure.Unit)))
			}
		}
		switch {
		case v.Retry != verdict.NoRetry && len(slowed.results) < mostSlowed && !unrepeatable(s):
			slowed.add(number, v)
			tries++
			print("recorded again, with fewer recordings beside it: this machine was too slow for a verdict")
		case !res.again:
			return v, nil
		default:
			print(fmt.Sprintf("retried: not tested in attempt %d of %d", number, tries))
		}
	}
	return v, nil
}

// unrepeatable reports whether the scenario cannot be recorded again: the disruption is somebody else's.
func unrepeatable(s harness.Scenario) bool {
	d := s.UnderLoad().Disruption
	return d != nil && d.ByOthers()
}

// preconditionTries is how often a scenario with a precondition is recorded until that is met, unless its Tries say otherwise.
const preconditionTries = 3

// triesOf returns how many attempts a scenario has, without those for which this machine was too slow.
func triesOf(s harness.Scenario) int {
	switch {
	case unrepeatable(s):
		return 1
	case s.UnderLoad().Adapt != nil:
		return 2
	case s.Tries > 0:
		return s.Tries
	case slices.ContainsFunc(s.Expect, func(x evidence.Expectation) bool { return verdict.IsPrecondition(x) }):
		return preconditionTries
	default:
		return 1
	}
}

// shown returns a verdict for the progress display, with err as its reason if there is one.
func shown(v verdict.Verdict, err error) progress.Result {
	r := progress.Result{Outcome: v.Outcome.String(), Headline: v.Headline, Because: v.Because}
	if err != nil {
		r.Because = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	for _, fact := range v.Facts {
		r.Facts = append(r.Facts, fact.Name+": "+fact.Value)
	}
	return r
}
