package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeMaxDrainLag(x evidence.Expectation, tl timeline.Timeline) Finding {
	fresh := requests(tl.LanesWhere(evidence.LaneKind.FollowsRules)) > 0
	departed := tl.RemovedEndpoints()
	switch {
	case !fresh:
		return Finding{Because: "0 lanes with fresh connections ran in a pod"}
	case len(departed) == 0:
		return Finding{Because: "0 old pods were seen leaving the endpoints"}
	}
	lags := tl.DrainLags()
	if len(lags) == 0 {
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 requests were sent to %s after it left the endpoints", count(len(departed), "old pod"))}
	}
	longest, outcome := longestLag(lags, x.Max)
	return Finding{Outcome: outcome, Because: fmt.Sprintf("%s was sent requests from %s until %s after it left the endpoints, %s allowed",
		longest.Pod, longest.Node, elapsed(longest.Lag), seconds(x.Max))}
}

func judgeMaxRuleLag(x evidence.Expectation, tl timeline.Timeline) Finding {
	observed, departed := tl.Observed(), tl.RemovedEndpoints()
	switch {
	case len(observed) == 0:
		return Finding{Because: "the rules of 0 nodes were observed"}
	case len(departed) == 0:
		return Finding{Because: "0 old pods were seen leaving the endpoints"}
	}
	lags, routed := tl.RuleLags(), tl.StillRouted()
	switch {
	case len(routed) > 0:
		longest, outcome := longestLag(routed, x.Max)
		if outcome == Pass { // they were not seen for long enough
			outcome = Inconclusive
		}
		return Finding{Outcome: outcome, Because: fmt.Sprintf("the rules of %s still led to %s when they were seen last, %s after it left the endpoints; %s allowed",
			longest.Node, longest.Pod, elapsed(longest.Lag), seconds(x.Max))}
	case len(lags) == 0:
		return Finding{Because: fmt.Sprintf("the rules of 0 nodes were seen to lead to any of %s", count(len(departed), "old pod"))}
	}
	longest, outcome := longestLag(lags, x.Max)
	return Finding{Outcome: outcome, Because: fmt.Sprintf("the rules of %s led to %s until %s after it left the endpoints, longer than those of any other of %s to any other of %s; %s allowed",
		longest.Node, longest.Pod, elapsed(longest.Lag), count(len(observed), "node"), count(len(departed), "old pod"), seconds(x.Max))}
}

// longestLag is the lag, of at least one, that decides whether all keep a limit, and whether they do.
func longestLag(lags []timeline.PodLag, limit time.Duration) (timeline.PodLag, Outcome) {
	longest, outcome := lags[0], within(lags[0].Lag, limit)
	for _, lag := range lags[1:] {
		if kept := within(lag.Lag, limit); worse(kept, outcome) || kept == outcome && lag.Lag.Length > longest.Lag.Length {
			longest, outcome = lag, kept
		}
	}
	return longest, outcome
}

// worse reports whether of two outcomes about parts of a run the first decides the whole.
func worse(a, b Outcome) bool {
	rank := map[Outcome]int{Pass: 0, Inconclusive: 1, Fail: 2}
	return rank[a] > rank[b]
}

// within is whether a duration keeps a limit; inconclusive when the clocks cannot tell.
func within(d timeline.Elapsed, limit time.Duration) Outcome {
	switch {
	case d.Length+d.Uncertainty <= limit:
		return Pass
	case d.Length-d.Uncertainty > limit:
		return Fail
	default:
		return Inconclusive
	}
}
