// Package verdict judges a timeline by rules. Rules are data: an expectation
// recorded with the run names one by its permanent id, so that every past run
// can be judged again. It is pure and knows no cluster.
package verdict

import (
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
	Facts    []Detail // of the finding that decided it
	Because  string   // one sentence with numbers
	Findings []Finding
	// Distrusted says that the recording cannot be trusted: the outcome is about the rig, not the cluster.
	Distrusted bool
	// Late says that it cannot only because its own clients were late, which another recording need not be, and that no
	// rule would have failed: a loss is not to be forgotten for a second try.
	Late bool
	// Starved says that it is inconclusive because the host had too little time for its kubelets, and no rule failed: another
	// recording, with less beside it, may tell.
	Starved bool
}

// A Finding is what one rule says about one run.
type Finding struct {
	Rule      string // id
	Claim     string // one sentence about clients; empty for an unknown rule
	Outcome   Outcome
	Headline  string    // what happened to whom and what follows, in one line of at most 120 characters
	Facts     []Detail  // what the headline leaves out: counts by kind of failure, pod phase, window, node, witnesses
	Because   string    // the same as one sentence, with every number
	Witnesses []Witness // hits that decided it, by time sent; at most 20, all of them counted in Because
	Starved   bool      // it is inconclusive instead of a failure because the host was too busy for its kubelets
}

// A Detail is one fact of a finding, such as {"by kind", "2 refused, 1 timeout"}.
type Detail struct{ Name, Value string }

// A Witness names a hit.
type Witness struct {
	Lane string
	Seq  uint64
}

// Judge weighs the recording before it applies the rules: a recording that cannot be trusted makes
// the verdict and every finding inconclusive, whatever the rules say. The timeline of a skipped
// run is not looked at.
func Judge(run evidence.Run, tl timeline.Timeline) Verdict {
	v := judge(run, tl)
	v.Headline = phrase.Headline(v.Headline, v.Because)
	return v
}

func judge(run evidence.Run, tl timeline.Timeline) Verdict {
	if run.Skipped != "" {
		return Verdict{Outcome: Skipped, Because: run.Skipped}
	}
	v := Verdict{Findings: make([]Finding, 0, len(run.Expect))}
	for _, x := range run.Expect {
		v.Findings = append(v.Findings, find(x, run, tl))
	}
	if reasons, late := distrust(run, tl); len(reasons) > 0 {
		v.Distrusted = true
		v.Late = late && !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Outcome == Fail })
		for i := range v.Findings {
			v.Findings[i] = withhold(v.Findings[i])
		}
		v.Because = "the recording cannot be trusted: " + enumerate(reasons)
		return v
	}
	if run.Measures {
		v.Because = "it measured for a second recording, which was not made"
		for i := range v.Findings {
			f := &v.Findings[i]
			f.Outcome, f.Headline, f.Facts, f.Because, f.Witnesses = Inconclusive, v.Because, nil, v.Because, nil
		}
		return v
	}
	v.Outcome, v.Because = weigh(v.Findings)
	v.Starved = v.Outcome == Inconclusive && slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Starved })
	return v
}

func find(x evidence.Expectation, run evidence.Run, tl timeline.Timeline) Finding {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == x.Rule })
	if i < 0 {
		because := fmt.Sprintf("this build knows no rule %q", x.Rule)
		return Finding{Rule: x.Rule, Headline: because, Because: because}
	}
	f := Finding{}
	switch because, err := outOfScope(x, run); {
	case err != nil:
		f.Because = err.Error()
	case because != "":
		f = Finding{Outcome: Skipped, Because: because}
	default:
		f = rules[i].judge(x, tl)
	}
	f.Rule, f.Claim = rules[i].ID, rules[i].Claim
	f.Headline = phrase.Headline(f.Headline, f.Because)
	return f
}

// withhold keeps what a finding would have said without letting it count.
func withhold(f Finding) Finding {
	if f.Outcome == Pass || f.Outcome == Fail {
		f.Headline = phrase.Headline(fmt.Sprintf("would be %s if the recording could be trusted: %s", f.Outcome, f.Headline))
		f.Because = fmt.Sprintf("would be %s if the recording could be trusted: %s", f.Outcome, f.Because)
		f.Outcome = Inconclusive
	}
	return f
}

// weigh lets the worst finding decide: fail, then inconclusive, then pass. Rules that are not for this
// cluster are left out.
func weigh(findings []Finding) (Outcome, string) {
	because := make(map[Outcome][]string)
	for _, f := range findings {
		because[f.Outcome] = append(because[f.Outcome], f.Because)
	}
	for _, worst := range []Outcome{Fail, Inconclusive} {
		if len(because[worst]) > 0 {
			return worst, enumerate(because[worst])
		}
	}
	switch held := because[Pass]; {
	case len(findings) == 0:
		return Inconclusive, "0 rules were expected to hold, so nothing was judged"
	case len(held) == 0:
		return Inconclusive, fmt.Sprintf("0 of %d rules are for this cluster, so nothing was judged", len(findings))
	case len(held) == 1:
		return Pass, held[0]
	default:
		return Pass, fmt.Sprintf("all %d rules hold: %s", len(held), enumerate(held))
	}
}

// enumerate joins the first three of several reasons and counts the rest.
func enumerate(reasons []string) string {
	const shown = 3
	if len(reasons) <= shown {
		return strings.Join(reasons, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(reasons[:shown], "; "), len(reasons)-shown)
}
