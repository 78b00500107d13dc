package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// RulesBehind expects that a node's rules surely still routed to an old pod after its SIGTERM: else nothing shows what becomes
// of clients whose kube-proxy is behind.
func RulesBehind() evidence.Expectation { return evidence.Expectation{Rule: rulesBehind().ID} }

func rulesBehind() Rule {
	return Rule{
		ID: "rules-behind", Claim: "a node's rules still route clients to an old pod after its SIGTERM",
		Feature: evidence.NodeRules, judge: judgeRulesBehind,
		Unit: "pair of pod and node", Untested: noSigtermMargins, Precondition: true,
		exposed: sigtermsSeen,
		needs:   sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI, evidence.AboutPodSteps),
	}
}

func judgeRulesBehind(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	pairs := sigtermsSeen(x, tl, lanes)
	var longest timeline.StaleRule
	behind := 0
	for _, s := range tl.StaleRules() {
		if s.Lag-s.Uncertainty <= s.Drain {
			continue
		}
		if behind++; longest.Pod == "" || s.Length() > longest.Length() {
			longest = s
		}
	}
	if behind == 0 {
		return undecided(fmt.Sprintf("of %s 0 had rules that surely routed to the pod after its SIGTERM",
			phrase.Count(pairs, "pair of pod and node")))
	}
	return Finding{
		Outcome: Pass, Grounds: Seen,
		Headline: phrase.Headline(
			fmt.Sprintf("rules of %s still routed to %s for %s after its SIGTERM", longest.Node, longest.Pod, phrase.Duration(longest.Length())),
			fmt.Sprintf("a node's rules still routed to an old pod for %s after its SIGTERM", phrase.Duration(longest.Length()))),
		Facts: []Detail{{"node", longest.Node}, {"pod", longest.Pod}, {"pairs of pod and node", fmt.Sprintf("%d of %d", behind, pairs)}},
		Because: fmt.Sprintf("of %s %d had rules that still routed to the pod after its SIGTERM, those of %s to %s for %s, the longest",
			phrase.Count(pairs, "pair of pod and node"), behind, longest.Node, longest.Pod, phrase.Seconds(longest.Length())),
	}
}
