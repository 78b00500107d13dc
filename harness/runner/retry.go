package runner

import (
	"context"
	"fmt"
	"io"
	"strings"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/progress"
	"rollcall/harness/verdict"
)

// recordAndJudge records a scenario and judges its last recording, from what is on disk, as any replay will. It records again
// up to the scenario's tries while a negative control that can be trusted saw nothing, once more as [harness.Scenario].Adapt
// has it, and once more if this machine was too late and nothing else was wrong. Each attempt stays in the run folder.
func (r *Runner) recordAndJudge(ctx context.Context, c cluster.Cluster, suite string, s harness.Scenario,
	out io.Writer) (v verdict.Verdict, err error) {
	entry := r.board.Entry(progress.Name{Mode: c.Mode(), Suite: suite, Scenario: s.ID})
	defer func() { entry.End(shown(v, err)) }()
	run := func(number, tries int) (result, error) {
		a := attempt{runner: r, cluster: c, suite: suite, entry: entry, out: out, number: number, tries: tries}
		return a.run(ctx, &s)
	}
	return retry(s, run, func(line string) { fmt.Fprintf(out, "%s %s: %s\n", c.Mode(), s.ID, line) })
}

// retry makes attempts at a scenario, by their number from 1 and how many there are, and gives the verdict of the last one.
func retry(s harness.Scenario, attempt func(number, tries int) (result, error), print func(string)) (v verdict.Verdict, err error) {
	tries := max(1, s.Tries)
	if s.Adapt != nil {
		tries = 2
	}
	retried := false
	for number := 1; number <= tries; number++ {
		res, err := attempt(number, tries)
		if v = res.verdict; err != nil {
			return v, err
		}
		if res.again && s.Adapt != nil {
			print("the first recording only measures; the second one is judged")
			continue
		}
		print(fmt.Sprintf("%s: %s", v.Outcome, v.Because))
		switch {
		case (v.Late || v.Starved) && !retried:
			retried = true
			tries++
			print("retried: this machine was too busy")
		case !res.again:
			return v, nil
		}
	}
	return v, nil
}

// shown is a verdict as the progress display has it. One that was never reached has the error that kept it.
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
