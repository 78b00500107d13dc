package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A PodLag is how long a node went on with an old pod after its endpoint was seen leaving ready.
type PodLag struct {
	Pod, Node string // the old pod, and the node that still sent to it
	Lag       Elapsed
}

func sortedLags(lags map[PodLag]Elapsed) []PodLag {
	var all []PodLag
	for key, lag := range lags {
		all = append(all, PodLag{Pod: key.Pod, Node: key.Node, Lag: lag})
	}
	slices.SortFunc(all, byPodAndNode)
	return all
}

func byPodAndNode(a, b PodLag) int {
	return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
}

// A route is how far a node's rules about an old pod that left the endpoints for good were followed.
type route struct {
	evidence.Event               // the last about them
	left           time.Duration // when the endpoint did
	to             time.Duration // when they stopped routing to the pod, or were seen last
	blind          time.Duration // by how much they may have stopped before
}

// lagsOf lists something of the routes to such pods, by pod and node: of those that stopped, and of those that did not.
func (t Timeline) lagsOf(of func(route) (Elapsed, bool)) (stopped, routing []PodLag) {
	removed := t.EndpointsLeft()
	for _, p := range t.Pods {
		left, ok := removed[p.Pod]
		if !ok {
			continue
		}
		for _, last := range t.routes[p.Pod] {
			r, lags := route{Event: last, left: left, to: t.seen[last.Object]}, &routing
			if last.Kind == evidence.RuleGone {
				r.to, r.blind, lags = last.At, t.blind(last), &stopped
			}
			if lag, ok := of(r); ok {
				*lags = append(*lags, PodLag{p.Pod, last.Object, lag})
			}
		}
	}
	return stopped, routing
}

// sinceLeft is how long a node's rules routed to a pod after its endpoint left ready.
func (t Timeline) sinceLeft(r route) (Elapsed, bool) {
	return Elapsed{r.to - r.left, t.clocks.between("", r.Clock) + max(t.watchLag(r.left), r.blind)}, true
}

// RuleLags lists, by pod and node, how long the node's rules still routed to each old pod after its
// endpoint left ready; negative when the node knew before the recorder. What the observer did not
// see is not in the list. The endpoint and the rule may both have gone earlier than was noted, which makes the lag
// longer and shorter, and so it is uncertain by the larger of the two.
func (t Timeline) RuleLags() []PodLag {
	stopped, _ := t.lagsOf(t.sinceLeft)
	return stopped
}

// StillRouted lists, by pod and node, the old pods that had left the endpoints for good and to which a node's
// rules still routed when they were seen last. The lag is from when the endpoint left until then.
func (t Timeline) StillRouted() []PodLag {
	_, routing := t.lagsOf(t.sinceLeft)
	return routing
}

// RulesAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the node's rules stopped routing to it, or, if they
// did not, were seen last; negative before it. Of a pod that is still routed to and whose SIGTERM was not seen it is how long after the
// pod's end: it can have got none later.
func (t Timeline) RulesAfterSigterm() (stopped, routing []PodLag) {
	return t.lagsOf(func(r route) (Elapsed, bool) {
		pod := t.olds[r.By.Pod]
		sigterm, seen := pod.sigterm()
		if !seen && r.Kind == evidence.RuleAdded {
			sigterm, seen = pod.over()
		}
		return Elapsed{r.to - sigterm.At, t.clocks.between(r.Clock, sigterm.Clock) + r.blind}, seen
	})
}

// ClientsAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the last request was sent that reached it over a
// new connection from a pod; negative when it was sent before.
func (t Timeline) ClientsAfterSigterm() []PodLag {
	return t.lastTo(func(pod string, sent time.Duration, lane Lane) (Elapsed, bool) {
		sigterm, seen := t.olds[pod].sigterm()
		return Elapsed{sent - sigterm.At, t.clocks.between(lane.Node, sigterm.Clock)}, seen
	})
}

// DrainLags lists, by pod and node, the last hit a fresh lane in a pod sent to each old pod after
// its endpoint left ready, whether or not the reply came back. A pod and node without such a hit are
// not in the list; one whose last hit the clocks cannot place is, and its lag may be negative.
func (t Timeline) DrainLags() []PodLag {
	removed := t.EndpointsLeft()
	return t.lastTo(func(pod string, sent time.Duration, lane Lane) (Elapsed, bool) {
		at := removed[pod]
		return Elapsed{sent - at, lane.uncertainty + t.watchLag(at)}, sent+lane.uncertainty >= at
	})
}

// lastTo lists, by pod and node, the longest of something about the last request that each lane which follows the rules sent to each old
// pod whose endpoint left ready.
func (t Timeline) lastTo(of func(pod string, sent time.Duration, lane Lane) (Elapsed, bool)) []PodLag {
	removed := t.EndpointsLeft()
	lags := make(map[PodLag]Elapsed)
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for by, sent := range lane.lastTo {
			if _, left := removed[by.Pod]; !left || !t.isOld(by.Version) {
				continue
			}
			lag, ok := of(by.Pod, sent, lane)
			key := PodLag{Pod: by.Pod, Node: lane.Node}
			if before, seen := lags[key]; ok && (!seen || lag.Length > before.Length) {
				lags[key] = lag
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
		last[lane.Node] = max(last[lane.Node], lane.Summary.LastSent-lane.uncertainty)
	}
	for _, at := range t.EndpointsLeft() {
		for _, sent := range last {
			if sent > at+d {
				pairs++
			}
		}
	}
	return pairs
}

// A StaleRule is how a node's rules still routed to an old pod after its SIGTERM: from then on a new connection by them may
// be lost.
type StaleRule struct {
	Pod, Node string
	Window                  // from SIGTERM until the rules stopped, or were seen last
	Drain     time.Duration // from when the endpoint left ready until SIGTERM
	Lag       time.Duration // from when the endpoint left ready until the rules stopped, or were seen last
}

// StaleRules lists them by pod and node. A node whose rules stopped before is not in the list, unless the clocks cannot
// tell.
func (t Timeline) StaleRules() (stale []StaleRule) {
	removed := t.EndpointsLeft()
	for _, l := range t.ruleLags() {
		left, to := removed[l.Pod], removed[l.Pod]+l.Lag.Length
		if sigterm, seen := t.olds[l.Pod].sigterm(); seen && to+l.Lag.Uncertainty > sigterm.At {
			stale = append(stale, StaleRule{
				Pod: l.Pod, Node: l.Node, Window: Window{sigterm.At, max(sigterm.At, to), l.Lag.Uncertainty},
				Drain: sigterm.At - left, Lag: l.Lag.Length,
			})
		}
	}
	return stale
}

// ruleLags are those of rules that stopped and of those that did not, by pod and node.
func (t Timeline) ruleLags() []PodLag {
	all := slices.Concat(t.lagsOf(t.sinceLeft))
	slices.SortFunc(all, byPodAndNode)
	return all
}

// SigtermsSeen reports whether the SIGTERM of every old pod whose endpoint left ready was seen.
func (t Timeline) SigtermsSeen() bool {
	for pod := range t.EndpointsLeft() {
		if _, seen := t.olds[pod].sigterm(); !seen {
			return false
		}
	}
	return true
}

// NeededDrains is, by node, how long a pod has to serve on after its endpoint left ready so that no new connection by the
// node's rules is lost: as long as they routed to any old pod, at most, without the time in which no endpoint was ready. Then
// they route to old pods on purpose, as long as those serve (KEP-1669). A node whose rules were not observed has none.
func (t Timeline) NeededDrains() map[string]time.Duration {
	needed := map[string]time.Duration{}
	for _, l := range t.neededDrains() {
		needed[l.Node] = max(needed[l.Node], l.Lag.Length+l.Lag.Uncertainty)
	}
	return needed
}

// neededDrains are the same of each pod and node.
func (t Timeline) neededDrains() []PodLag {
	removed, noneReady := t.EndpointsLeft(), t.noReadyEndpoints()
	needed := t.ruleLags()
	for i := range needed {
		l := &needed[i]
		from, to := removed[l.Pod], removed[l.Pod]+l.Lag.Length
		for _, w := range noneReady {
			l.Lag.Length -= max(0, min(to, w.To)-max(from, w.From))
		}
	}
	return needed
}

// Orders lists, by old pod and, where one of the events is that a node's rules left it out, by node, how long after one event
// another came; negative when it came before. What did not come is not in the list, nor are rules that came back.
func (t Timeline) Orders(a, b evidence.EventKind) []PodLag {
	orders := make(map[PodLag]Elapsed)
	for pod := range t.EndpointsLeft() {
		begins, ends := t.onNodes(pod, a), t.onNodes(pod, b)
		for begunOn, begin := range begins {
			for endedOn, end := range ends {
				late := max(t.seenLate(begin), t.seenLate(end), t.blind(begin), t.blind(end))
				orders[PodLag{Pod: pod, Node: cmp.Or(begunOn, endedOn)}] = Elapsed{end.At - begin.At, t.clocks.between(begin.Clock, end.Clock) + late}
			}
		}
	}
	return sortedLags(orders)
}

// onNodes is a pod's first event of a kind; of rules, the last for each node, if the rules did not come back.
func (t Timeline) onNodes(pod string, kind evidence.EventKind) map[string]evidence.Event {
	events := map[string]evidence.Event{}
	if kind != evidence.RuleGone {
		if first, ok := t.olds[pod].first(kind, nil); ok {
			events[""] = first
		}
		return events
	}
	for _, last := range t.routes[pod] {
		if last.Kind == kind {
			events[last.Object] = last
		}
	}
	return events
}
