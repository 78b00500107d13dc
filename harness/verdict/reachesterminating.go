package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// ReachesTerminating expects that a new connection from a node leads to an old pod after its endpoint left ready, at least once.
// It never fails: that none did does not show that none can.
func ReachesTerminating() evidence.Expectation {
	return evidence.Expectation{Rule: reachesTerminating().ID}
}

func reachesTerminating() Rule {
	return Rule{
		ID: "reaches-terminating", Claim: "a client's new connection is led to a pod after it left the endpoints",
		Lanes: RoutedLanes, judge: judgeReachesTerminating,
		Unit: "pair of pod and node", Untested: "no request was sent after an old pod had left the endpoints", Precondition: true,
		exposed: drainsSeen,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	}
}

func judgeReachesTerminating(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	pairs, reached := drainsSeen(x, tl, lanes), 0
	var longest timeline.PodLag
	for _, l := range tl.DrainLags() {
		if l.Lag.Length-l.Lag.Uncertainty <= 0 {
			continue
		}
		if reached++; l.Lag.Length > longest.Lag.Length {
			longest = l
		}
	}
	of := fmt.Sprintf("%d of %s of old pod and node", reached, phrase.Count(pairs, "pair"))
	if reached == 0 {
		return undecided("in " + of + " a new connection led to the pod after it left the endpoints")
	}
	return Finding{
		Outcome:  Pass,
		Headline: fmt.Sprintf("in %s new connections led to the pod after it left the endpoints", of),
		Facts:    lagFacts(longest),
		Because: fmt.Sprintf("in %s new connections led to the pod after it left the endpoints, to %s from %s until %s after it",
			of, longest.Pod, longest.Node, phrase.Elapsed(longest.Lag)),
	}
}
