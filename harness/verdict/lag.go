package verdict

import (
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeMaxDrainLag(x evidence.Expectation, tl timeline.Timeline) Finding {
	fresh := slices.ContainsFunc(tl.Lanes, func(l timeline.Lane) bool {
		return l.Vantage == evidence.FromPod && l.Conn == evidence.Fresh && l.Summary.Requests > 0
	})
	departed := tl.Departed()
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
	longest, outcome := lags[0], within(lags[0].Lag, x.Max)
	for _, lag := range lags[1:] {
		if kept := within(lag.Lag, x.Max); worse(kept, outcome) || kept == outcome && lag.Lag.Length > longest.Lag.Length {
			longest, outcome = lag, kept
		}
	}
	return Finding{Outcome: outcome, Because: fmt.Sprintf("%s was sent requests from %s until %s after it left the endpoints, %s allowed",
		longest.Pod, longest.Node, elapsed(longest.Lag), seconds(x.Max))}
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
