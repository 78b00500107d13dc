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

// A route is how far a node's rules about an old pod were followed. The lag is from when the pod's endpoint left ready, if it did so for
// good.
type route struct {
	PodLag
	left    bool
	to      Time // when they stopped routing to the pod, or were seen last
	stopped bool
	// needed is how long the pod had to serve on after its endpoint left, at most, so that no new connection was lost: for the lag without
	// the time in which no endpoint was ready. Then rules route to old pods on purpose, as long as those serve (KEP-1669).
	needed time.Duration
}

func (t Timeline) route(last evidence.Event, noneReady []Window) route {
	left, leaves := t.left[last.By.Pod]
	r := route{left: leaves, to: t.seen(last), stopped: last.Kind == evidence.RuleGone}
	r.Pod, r.Node = last.By.Pod, last.Object
	if !r.stopped {
		r.to = t.clocks.told(last.Clock, t.node(r.Node).seen)
	}
	r.Lag = r.to.Since(left)
	r.needed = r.Lag.Length + r.Lag.Uncertainty
	for _, w := range noneReady {
		r.needed -= max(0, min(r.to.At, w.To)-max(left.At, w.From))
	}
	return r
}

// EndpointsLeft maps each old pod whose endpoint left ready for good to when it did. A pod whose endpoint was not
// ready for a while, or not ready yet, counts as there; one whose name has come back with another version does not.
func (t Timeline) EndpointsLeft() map[string]Time { return t.left }

// routesOf are those of one pod, by node.
func (t Timeline) routesOf(pod string) []route {
	byPod := func(r route, pod string) int { return cmp.Compare(r.Pod, pod) }
	from, _ := slices.BinarySearchFunc(t.routes, pod, byPod)
	to, _ := slices.BinarySearchFunc(t.routes, pod+"\x00", byPod)
	return t.routes[from:to]
}

// RuleLags lists, by pod and node, how long the node's rules still routed to each old pod after its
// endpoint left ready; negative when the node knew before the recorder. What the observer did not
// see is not in the list. The endpoint and the rule may both have gone earlier than was noted, which makes the lag
// longer and shorter, and so it is uncertain by the larger of the two.
func (t Timeline) RuleLags() []PodLag {
	return t.lagsOf(func(r route) (Elapsed, bool) { return r.Lag, r.stopped })
}

// StillRouted lists, by pod and node, the old pods that had left the endpoints for good and to which a node's
// rules still routed when they were seen last. The lag is from when the endpoint left until then.
func (t Timeline) StillRouted() []PodLag {
	return t.lagsOf(func(r route) (Elapsed, bool) { return r.Lag, !r.stopped })
}

// RulesAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the node's rules stopped routing to it, or, if they
// did not, were seen last; negative before it. Of a pod that is still routed to and whose SIGTERM was not seen it is how long after the
// pod's end: it can have got none later.
func (t Timeline) RulesAfterSigterm() (stopped, routing []PodLag) {
	since := func(whether bool) []PodLag {
		return t.lagsOf(func(r route) (Elapsed, bool) {
			sigterm, seen := t.sigterm(r.Pod)
			if !seen && !r.stopped {
				sigterm, seen = t.over(r.Pod)
			}
			return r.to.Since(sigterm), seen && r.stopped == whether
		})
	}
	return since(true), since(false)
}

// lagsOf lists something of the routes to pods that left the endpoints for good, by pod and node.
func (t Timeline) lagsOf(of func(route) (lag Elapsed, is bool)) (lags []PodLag) {
	for _, r := range t.routes {
		if lag, is := of(r); is && r.left {
			lags = append(lags, PodLag{r.Pod, r.Node, lag})
		}
	}
	return lags
}

// ClientsAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the last request was sent that reached it over a
// new connection from a pod; negative when it was sent before.
func (t Timeline) ClientsAfterSigterm() []PodLag {
	return t.lastTo(func(pod string, sent Time) (Elapsed, bool) {
		sigterm, seen := t.sigterm(pod)
		return sent.Since(sigterm), seen
	})
}

// DrainLags lists, by pod and node, the last hit a fresh lane in a pod sent to each old pod after
// its endpoint left ready, whether or not the reply came back. A pod and node without such a hit are
// not in the list; one whose last hit the clocks cannot place is, and its lag may be negative.
func (t Timeline) DrainLags() []PodLag {
	return t.lastTo(func(pod string, sent Time) (Elapsed, bool) {
		left := t.left[pod]
		return sent.Since(left), left.AsNoted().By(sent) != No
	})
}

// lastTo lists, by pod and node, the longest of something about the last request that each lane which follows the rules sent to each old
// pod whose endpoint left ready.
func (t Timeline) lastTo(of func(pod string, sent Time) (Elapsed, bool)) []PodLag {
	lags := make(map[PodLag]Elapsed)
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for by, sent := range lane.lastTo {
			if _, left := t.left[by.Pod]; !left || !t.isOld(by.Version) {
				continue
			}
			lag, ok := of(by.Pod, lane.Time(sent))
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
	last := make(map[string]Time) // sent, by node
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		if at := lane.Time(lane.Summary.LastSent); at.At >= last[lane.Node].At {
			last[lane.Node] = at
		}
	}
	for _, left := range t.left {
		for _, sent := range last {
			if sent.Since(left.AsNoted()).AtMost(d) == No {
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
	for _, r := range t.routes {
		sigterm, seen := t.sigterm(r.Pod)
		drain := sigterm.At - t.left[r.Pod].At
		if r.left && seen && (Elapsed{r.Lag.Length - drain, r.Lag.Uncertainty}).AtMost(0) != Yes {
			window := Window{sigterm.At, max(sigterm.At, r.to.At), r.Lag.Uncertainty}
			stale = append(stale, StaleRule{r.Pod, r.Node, window, drain, r.Lag.Length})
		}
	}
	return stale
}

// SigtermsSeen reports whether the SIGTERM of every old pod whose endpoint left ready was seen.
func (t Timeline) SigtermsSeen() bool {
	for pod := range t.left {
		if _, seen := t.sigterm(pod); !seen {
			return false
		}
	}
	return true
}

// NeededDrains is, by node, how long a pod has to serve on after its endpoint left ready so that no new connection by the
// node's rules is lost: as long as any old pod had to. A node whose rules were not observed has none.
func (t Timeline) NeededDrains() map[string]time.Duration {
	needed := map[string]time.Duration{}
	for _, r := range t.routes {
		if r.left {
			needed[r.Node] = max(needed[r.Node], r.needed)
		}
	}
	return needed
}

// Orders lists, by old pod and, where one of the events is that a node's rules left it out, by node, how long after one event
// another came; negative when it came before. What did not come is not in the list, nor are rules that came back.
func (t Timeline) Orders(a, b evidence.EventKind) []PodLag {
	orders := make(map[PodLag]Elapsed)
	for pod := range t.left {
		begins, ends := t.onNodes(pod, a), t.onNodes(pod, b)
		for begunOn, begin := range begins {
			for endedOn, end := range ends {
				orders[PodLag{Pod: pod, Node: cmp.Or(begunOn, endedOn)}] = end.Since(begin)
			}
		}
	}
	return sortedLags(orders)
}

// onNodes is a pod's first event of a kind; of rules, the last for each node, if the rules did not come back.
func (t Timeline) onNodes(pod string, kind evidence.EventKind) map[string]Time {
	at := map[string]Time{}
	if first, ok := t.olds[pod].first(kind, nil); ok && kind != evidence.RuleGone {
		at[""] = t.seen(first)
	}
	for _, r := range t.routesOf(pod) {
		if r.stopped && kind == evidence.RuleGone {
			at[r.Node] = r.to
		}
	}
	return at
}
