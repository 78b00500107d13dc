package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// LostWhileTerminating expects that requests from pods, over each kind of connection, are lost to an old pod that had got SIGTERM:
// a negative control that knows why it loses requests. No such loss is no failure of the cluster but a blind harness.
func LostWhileTerminating() evidence.Expectation {
	return evidence.Expectation{Rule: lostWhileTerminating().ID}
}

func lostWhileTerminating() Rule {
	return Rule{
		ID: "lost-while-terminating", Claim: "clients in the cluster lose requests to old pods that had got SIGTERM",
		Lanes: DamageLanes, judge: judgeLostWhileTerminating,
		Unit: "request", Untested: "no request was sent from a pod while an old pod was terminating and another was ready",
		Precondition: true,
		exposed:      sentBesideTerminating,
	}
}

// toEndedPod reports whether a request failed because the old pod it was led to had got SIGTERM, by the pod and by how it failed.
func toEndedPod(h timeline.Hit, tl timeline.Timeline) bool {
	switch h.Fault {
	case evidence.Refused, evidence.Reset, evidence.Closed, evidence.Timeout:
	default:
		return false
	}
	return tl.ToEnded(h)
}

func judgeLostWhileTerminating(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	var lost []timeline.Hit
	others, seen := 0, map[evidence.Conn]int{}
	for _, lane := range lanes {
		seen[lane.Conn] += 0
		for _, h := range lane.Failed {
			if !toEndedPod(h, tl) {
				others++
				continue
			}
			lost = append(lost, h)
			seen[lane.Conn]++
		}
	}
	if len(lanes) == 0 {
		return undecided("0 lanes from pods were seen")
	}
	for _, conn := range slices.Sorted(maps.Keys(seen)) {
		if seen[conn] == 0 {
			return undecided(fmt.Sprintf("blind: over %s connections 0 requests from pods were lost to an old pod after its SIGTERM; "+
				"%d failed otherwise", conn, others))
		}
	}
	slices.SortStableFunc(lost, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	sent := phrase.Count(sentBesideTerminating(x, tl, lanes), "request")
	return Finding{
		Outcome:  Pass,
		Headline: fmt.Sprintf("%s from pods were lost to old pods after their SIGTERM, as they should", phrase.Count(len(lost), "request")),
		Facts: []Detail{{"by kind", kinds(lost)}, {"pod phase", podPhases(lost, tl)}, {"failed otherwise", fmt.Sprint(others)},
			{"sent while an old pod terminated", sent}},
		Because: fmt.Sprintf("%s from pods were lost to old pods after their SIGTERM (%s; %s); %d failed otherwise",
			phrase.Count(len(lost), "request"), kinds(lost), podPhases(lost, tl), others),
		Witnesses: witnesses(lost),
	}
}
