package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeRulesBeforeSigterm(_ evidence.Expectation, tl timeline.Timeline) Finding {
	margins := tl.SigtermMargins()
	if len(margins) == 0 {
		return Finding{Because: "0 old pods were seen both to leave the rules of a node and to be told to exit"}
	}
	if routed := tl.StillRouted(); len(routed) > 0 {
		return Finding{Outcome: Fail, Because: fmt.Sprintf("the rules of %s still led to %s when they were seen last", routed[0].Node, routed[0].Pod)}
	}
	least := margins[0]
	for _, m := range margins[1:] {
		if m.Lag.Length-m.Lag.Uncertainty < least.Lag.Length-least.Lag.Uncertainty {
			least = m
		}
	}
	f := Finding{Because: fmt.Sprintf("of %s of pod and node, the least time from the rules of %s leaving %s out until it was told to exit was %s",
		count(len(margins), "pair"), least.Node, least.Pod, elapsed(least.Lag))}
	switch {
	case least.Lag.Length-least.Lag.Uncertainty > 0:
		f.Outcome = Pass
	case least.Lag.Length+least.Lag.Uncertainty <= 0:
		f.Outcome = Fail
	}
	return f
}
