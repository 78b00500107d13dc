package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxDrainLag expects that no node sends a fresh connection to an old pod later than d after its
// endpoint was seen leaving ready.
func MaxDrainLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxDrainLag().ID, Max: d}
}

func maxDrainLag() Rule {
	return Rule{
		ID: "max-drain-lag", Claim: "no client in the cluster is sent to a pod for longer than allowed after it left the endpoints",
		Lanes: RoutedLanes, BoundsSync: true, judge: judgeMaxDrainLag,
		Unit: "pair of pod and node", Untested: "no client in the cluster sent a request so long after an old pod had left the endpoints",
		exposed: drainsSeen,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	}
}

func judgeMaxDrainLag(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	removed := tl.RemovedEndpoints()
	switch {
	case requests(lanes) == 0:
		return undecided("0 lanes with fresh connections ran in a pod")
	case len(removed) == 0:
		return undecided("0 old pods were seen leaving the endpoints")
	}
	lags := tl.DrainLags()
	if len(lags) == 0 {
		return Finding{Outcome: Pass, Grounds: Unseen, Because: fmt.Sprintf("0 requests were sent to %s after it left the endpoints",
			phrase.Count(len(removed), "old pod"))}
	}
	longest, outcome := longestLag(lags, x.Max)
	after := phrase.Duration(longest.Lag.Length) + " after its endpoint left, " + phrase.Duration(x.Max) + " allowed"
	return orUncertain(shows(Fail, Finding{
		Outcome: outcome, Breaches: lagBreaches(lags, x.Max, tl),
		Headline: phrase.Headline(
			fmt.Sprintf("%s was sent new connections from %s until %s", longest.Pod, longest.Node, after),
			fmt.Sprintf("%s was sent new connections until %s", longest.Pod, after),
			"an old pod was sent new connections until "+after),
		Facts: lagFacts(longest),
		Because: fmt.Sprintf("%s was sent requests from %s until %s after it left the endpoints, %s allowed",
			longest.Pod, longest.Node, phrase.Elapsed(longest.Lag), phrase.Seconds(x.Max)),
	}))
}

// MaxRuleLag expects that every node's rules have stopped routing to every old pod no later than d after its
// endpoint was seen leaving ready.
func MaxRuleLag(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxRuleLag().ID, Max: d}
}

func maxRuleLag() Rule {
	return Rule{
		ID: "max-rule-lag", Claim: "no node's rules route clients to a pod for longer than allowed after it left the endpoints",
		Feature: evidence.NodeRules, BoundsSync: true, judge: judgeMaxRuleLag,
		Unit: "pair of pod and node", Untested: "the rules of no node were seen to route to an old pod",
		exposed: rulesSeen,
		needs:   sinceBegin(evidence.AboutNodeRules, evidence.AboutAPI),
	}
}

func judgeMaxRuleLag(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	observed, removed := tl.Observed(), tl.RemovedEndpoints()
	switch {
	case len(observed) == 0:
		return undecided("the rules of 0 nodes were observed")
	case len(removed) == 0:
		return undecided("0 old pods were seen leaving the endpoints")
	}
	lags, routed := tl.RuleLags(), tl.StillRouted()
	if len(routed) == 0 && len(lags) == 0 {
		return undecided(fmt.Sprintf("the rules of 0 nodes were seen to route to any of %s", phrase.Count(len(removed), "old pod")))
	}
	if len(routed) > 0 {
		longest, outcome := longestLag(routed, x.Max)
		if outcome == Pass { // they were not seen for long enough
			outcome = Inconclusive
		}
		after := phrase.Duration(longest.Lag.Length) + " after its endpoint left; " + phrase.Duration(x.Max) + " allowed"
		return orUncertain(shows(Fail, Finding{
			Outcome: outcome, Breaches: lagBreaches(routed, x.Max, tl),
			Headline: phrase.Headline(
				fmt.Sprintf("rules of %s still routed to %s when last seen, %s", longest.Node, longest.Pod, after),
				"a node's rules still routed to an old pod when last seen, "+after),
			Facts: lagFacts(longest),
			Because: fmt.Sprintf("the rules of %s still routed to %s when they were seen last, %s after it left the endpoints; %s allowed",
				longest.Node, longest.Pod, phrase.Elapsed(longest.Lag), phrase.Seconds(x.Max)),
		}))
	}
	longest, outcome := longestLag(lags, x.Max)
	after := phrase.Duration(longest.Lag.Length) + " after its endpoint left, " + phrase.Duration(x.Max) + " allowed"
	return orUncertain(shows(Fail, Finding{
		Outcome: outcome, Breaches: lagBreaches(lags, x.Max, tl),
		Headline: phrase.Headline(
			fmt.Sprintf("rules of %s routed to %s until %s", longest.Node, longest.Pod, after),
			fmt.Sprintf("rules of %s routed to a pod until %s", longest.Node, after),
			"a node's rules routed to an old pod until "+after),
		Facts: append(lagFacts(longest), Detail{"longest of", fmt.Sprintf("%s and %s",
			phrase.Count(len(observed), "node"), phrase.Count(len(removed), "old pod"))}),
		Because: fmt.Sprintf("the rules of %s routed to %s until %s after it left the endpoints, "+
			"longer than those of any other of %s to any other of %s; %s allowed",
			longest.Node, longest.Pod, phrase.Elapsed(longest.Lag), phrase.Count(len(observed), "node"),
			phrase.Count(len(removed), "old pod"), phrase.Seconds(x.Max)),
	}))
}

func lagFacts(l timeline.PodLag) []Detail {
	return []Detail{{"node", l.Node}, {"pod", l.Pod}, {"lag", phrase.Elapsed(l.Lag)}}
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

// lagBreaches are those of lags that are too long. A node's rules follow an endpoint as soon as its kube-proxy is told, and runs.
func lagBreaches(lags []timeline.PodLag, limit time.Duration, tl timeline.Timeline) (all []Breach) {
	left := tl.EndpointsLeft()
	for _, l := range lags {
		if by := l.Lag.Length - limit; by > 0 {
			from := left[l.Pod]
			all = append(all, Breach{Kind: ALag, In: timeline.Window{From: from, To: from + l.Lag.Length}, Late: by,
				By: []timeline.Actor{{Program: timeline.APIServer}, {Node: l.Node, Program: timeline.KubeProxy}}})
		}
	}
	return all
}
