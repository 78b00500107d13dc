package timeline

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A PodLag is how long a node went on with an old pod after its endpoint was seen leaving ready.
type PodLag struct {
	Pod, Node string // the old pod, and the node that still sent to it
	Lag       Elapsed
}

// DrainLags lists, by pod and node, the last hit a fresh lane in a pod sent to each old pod after
// its endpoint left ready, whether or not the reply came back. A pod and node without such a hit are
// not in the list; one whose last hit the clocks cannot place is, and its lag may be negative.
func (t Timeline) DrainLags() []PodLag {
	removed := t.endpointRemovals()
	lags := make(map[PodLag]Elapsed)
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for pod, sent := range lane.lastTo {
			at, left := removed[pod]
			key := PodLag{Pod: pod, Node: lane.Node}
			if before, seen := lags[key]; left && sent+lane.uncertainty >= at && (!seen || sent-at > before.Length) {
				lags[key] = Elapsed{sent - at, lane.uncertainty + t.watchLag(at)}
			}
		}
	}
	return sortedLags(lags)
}

// SentAfterDrain is how many pairs of an old pod and a node there are whose clients with new connections still sent requests
// later than d after the pod's endpoint left ready, to whatever pod.
func (t Timeline) SentAfterDrain(d time.Duration) (pairs int) {
	last := make(map[string]time.Duration) // sent, by node
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for _, agent := range lane.Summary.Agents {
			last[lane.Node] = max(last[lane.Node], agent.LastSent-lane.uncertainty)
		}
	}
	for _, at := range t.endpointRemovals() {
		for _, sent := range last {
			if sent > at+d {
				pairs++
			}
		}
	}
	return pairs
}

// RuleLags lists, by pod and node, how long the node's rules still routed to each old pod after its
// endpoint left ready; negative when the node knew before the recorder. What the observer did not
// see is not in the list. The endpoint and the rule may both have gone earlier than was noted, which makes the lag
// longer and shorter, and so it is uncertain by the larger of the two.
func (t Timeline) RuleLags() []PodLag {
	removed := t.endpointRemovals()
	lags := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		at, left := removed[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case left && e.Kind == evidence.RuleGone:
			lags[pair] = Elapsed{e.At - at, t.clocks.between("", e.Clock) + max(t.watchLag(at), t.unseen(e))}
		case left && e.Kind == evidence.RuleAdded:
			delete(lags, pair)
		}
	}
	return sortedLags(lags)
}

// StillRouted lists, by pod and node, the old pods that had left the endpoints for good and to which a node's
// rules still routed when they were seen last. The lag is from when the endpoint left until then.
func (t Timeline) StillRouted() []PodLag {
	removed, seen := t.endpointRemovals(), t.rulesSeenUntil()
	routed := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		at, left := removed[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case left && e.Kind == evidence.RuleAdded:
			routed[pair] = Elapsed{seen[e.Object] - at, t.clocks.between("", e.Clock) + t.watchLag(at)}
		case e.Kind == evidence.RuleGone:
			delete(routed, pair)
		}
	}
	return sortedLags(routed)
}

// rulesSeenUntil maps each observed node to when its rules were seen last.
func (t Timeline) rulesSeenUntil() map[string]time.Duration {
	seen := make(map[string]time.Duration)
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.RulesBegun, evidence.RuleAdded, evidence.RuleGone, evidence.NodeBusy:
			seen[e.Object] = max(seen[e.Object], e.At)
		}
	}
	for _, e := range t.Events { // in order, and so the end of the stream last
		if since := e.At - time.Duration(e.Count)*time.Millisecond; e.Kind == evidence.RulesUnseen && e.At >= seen[e.Object] {
			seen[e.Object] = min(seen[e.Object], since)
		}
	}
	return seen
}

// catchUp is for how long an observer that was held up may take what had changed meanwhile for new: the first of its looks, which
// are no further apart (harness/observe/noderules, cadence.late).
const catchUp = 50 * time.Millisecond

// unseen is how long a node's rules had not been seen when the event about them was.
func (t Timeline) unseen(e evidence.Event) (blind time.Duration) {
	for _, u := range t.Events {
		since := u.At - time.Duration(u.Count)*time.Millisecond
		if u.Kind == evidence.RulesUnseen && u.Object == e.Object && since <= e.At && e.At <= u.At+catchUp {
			blind = max(blind, e.At-since)
		}
	}
	return blind
}

func sortedLags(lags map[PodLag]Elapsed) []PodLag {
	var all []PodLag
	for key, lag := range lags {
		all = append(all, PodLag{Pod: key.Pod, Node: key.Node, Lag: lag})
	}
	slices.SortFunc(all, func(a, b PodLag) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	})
	return all
}
