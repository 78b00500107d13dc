package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// RulesBeforeSigterm expects that every node's rules have stopped routing to each old pod before the pod gets
// SIGTERM: from then on no new connection can be lost.
func RulesBeforeSigterm() evidence.Expectation {
	return evidence.Expectation{Rule: rulesBeforeSigterm().ID}
}

const noSigtermMargins = "no old pod was seen both to leave the rules of a node and to get SIGTERM"

func rulesBeforeSigterm() Rule {
	return Rule{
		ID: "rules-before-sigterm", Claim: "no node's rules route clients to a pod after its SIGTERM",
		Feature: evidence.NodeRules, judge: judgeRulesBeforeSigterm,
		Unit: "pair of pod and node", Untested: noSigtermMargins,
		exposed: sigtermsSeen,
		needs:   sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI, evidence.AboutPodSteps),
	}
}

func judgeRulesBeforeSigterm(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	margins := tl.SigtermMargins()
	if len(margins) == 0 {
		return undecided("0 old pods were seen both to leave the rules of a node and to get SIGTERM")
	}
	if routed := tl.StillRouted(); len(routed) > 0 {
		return Finding{
			Outcome: Fail,
			Facts:   lagFacts(routed[0]),
			Because: fmt.Sprintf("the rules of %s still routed to %s when they were seen last", routed[0].Node, routed[0].Pod),
		}
	}
	least := margins[0]
	for _, m := range margins[1:] {
		if m.Lag.Length-m.Lag.Uncertainty < least.Lag.Length-least.Lag.Uncertainty {
			least = m
		}
	}
	outcome := atLeast(least.Lag, time.Nanosecond) // some time before
	when := phrase.Duration(least.Lag.Length) + " before its SIGTERM"
	if least.Lag.Length < 0 {
		when = phrase.Duration(-least.Lag.Length) + " after its SIGTERM"
	}
	if outcome == Fail {
		when += ": new connections may be lost"
	}
	return orUncertain(shows(Fail, Finding{
		Outcome: outcome,
		Headline: phrase.Headline(
			fmt.Sprintf("rules of %s stopped routing to %s %s", least.Node, least.Pod, when),
			fmt.Sprintf("rules of %s stopped routing to a pod %s", least.Node, when),
			"a node's rules stopped routing to a pod "+when),
		Facts: []Detail{
			{"node", least.Node}, {"pod", least.Pod}, {"rules stopped before SIGTERM by", phrase.Elapsed(least.Lag)},
			{"least of", phrase.Count(len(margins), "pair of pod and node")},
		},
		Because: fmt.Sprintf("of %s, the least time from the rules of %s leaving %s out until its SIGTERM was %s",
			phrase.Count(len(margins), "pair of pod and node"), least.Node, least.Pod, phrase.Elapsed(least.Lag)),
	}))
}
