package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// FactAtLeast expects that what the scenario noted under a name last is a number of n or more, such as "19 of 20".
func FactAtLeast(name string, n int) evidence.Expectation {
	return evidence.Expectation{Rule: factAtLeast().ID, Fact: name, Count: n}
}

func factAtLeast() Rule {
	return Rule{
		ID: "fact-at-least", Claim: "the cluster does so as often as expected", judge: judgeFactAtLeast,
		Unit: "fact", Untested: "it was not found out",
		exposed: factsNoted,
		needs:   seeing(evidence.AboutFacts),
	}
}

func judgeFactAtLeast(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	text, ok := tl.Fact(x.Fact)
	if !ok {
		return notNoted(x)
	}
	var got int
	if _, err := fmt.Sscan(text, &got); err != nil {
		return undecided(fmt.Sprintf("%s: %s is no number", x.Fact, text))
	}
	f := Finding{
		Outcome: Pass,
		Facts:   []Detail{{x.Fact, text}, {"expected at least", fmt.Sprint(x.Count)}},
		Because: fmt.Sprintf("%s: %s, at least %d expected", x.Fact, text, x.Count),
	}
	if got < x.Count {
		f.Outcome = Fail
	}
	return f
}
