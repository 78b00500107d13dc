package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/confidence"
	"rollcall/harness/verdict/phrase"
)

// MinTerminations expects so many terminations, each an old pod's as one node sees it: fewer show too little.
func MinTerminations(n int) evidence.Expectation {
	return evidence.Expectation{Rule: minTerminations().ID, Count: n}
}

func minTerminations() Rule {
	return Rule{
		ID: "min-terminations", Claim: "clients on nodes see as many ends of old pods as it takes to tell that few of them lose a request",
		Lanes: RoutedLanes, judge: judgeMinTerminations,
		Unit: termination, Untested: noTermination, Precondition: true,
		exposed: terminations,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	}
}

func judgeMinTerminations(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	n := len(tl.Terminations())
	f := Finding{
		Outcome: Pass,
		Because: fmt.Sprintf("%s of an old pod from a node under load, %d expected", phrase.Count(n, termination), x.Count),
	}
	if n < x.Count {
		f.Outcome = Inconclusive
	}
	return f
}

const (
	termination   = "termination" // the unit of what is put to the test
	noTermination = "no old pod was deleted while clients on a node were sending"
)

func terminations(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return len(tl.Terminations())
}

// shownByTerminations says, where no request failed, of how many terminations that is known, and what follows; empty where no
// old pod ended, or clients that the rule is not about lost a request by one.
func shownByTerminations(tl timeline.Timeline) string {
	all := tl.Terminations()
	n := len(all)
	if n == 0 || slices.ContainsFunc(all, func(x timeline.Termination) bool { return x.Lost > 0 }) {
		return ""
	}
	return fmt.Sprintf("; 0 of %s lost a request: at most %.1f %% of them at 95 %%", phrase.Count(n, termination),
		100*confidence.UpperShare(0, n))
}
