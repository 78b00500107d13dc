package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A PodLag is a time between two events of a pod and a node, such as how long the node routed to the pod after its endpoint left ready.
type PodLag struct {
	Pod, Node string // the old pod, and the node that routed to it
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

// A route says how long a node's rules routed to an old pod. The lag is from when the pod's endpoint left ready, if it did so for good,
// until to.
type route struct {
	PodLag
	left    bool // the pod's endpoint left ready for good
	to      Time // when the rules stopped routing to the pod, or were seen last
	stopped bool // the rules stopped
	// needed is how long the pod had to keep serving after its endpoint left, at most, so that no new connection was lost: the lag, less
	// the time in which no endpoint was ready. Rules route to terminating pods on purpose then, as long as these serve (KEP-1669).
	needed time.Duration
}

func (t Timeline) route(last evidence.Event, noneReady []Window) route {
	left, leaves := t.left[last.By.Pod]
	r := route{left: leaves, to: t.seen(last), stopped: last.Kind == evidence.RuleGone}
	r.Pod, r.Node = last.By.Pod, last.Object
	if !r.stopped {
		r.to = t.clocks.timeOn(last.Clock, t.node(r.Node).seen)
	}
	r.Lag = r.to.Since(left)
	r.needed = r.Lag.Length + r.Lag.Uncertainty
	for _, w := range noneReady {
		r.needed -= max(0, min(r.to.At, w.To)-max(left.At, w.From))
	}
	return r
}

// EndpointsLeft maps each old pod whose endpoint left ready for good to when it did. A pod whose endpoint was not ready
// only for a while, or not ready yet, has not left; one whose name was reused by a pod of another version has.
func (t Timeline) EndpointsLeft() map[string]Time { return t.left }

// routesOf lists the routes of one pod, by node.
func (t Timeline) routesOf(pod string) []route {
	byPod := func(r route, pod string) int { return cmp.Compare(r.Pod, pod) }
	from, _ := slices.BinarySearchFunc(t.routes, pod, byPod)
	to, _ := slices.BinarySearchFunc(t.routes, pod+"\x00", byPod)
	return t.routes[from:to]
}

// RuleLags lists, by pod and node, how long the node's rules still routed to each old pod after its
// endpoint left ready; negative when the node knew before the recorder. A rule that the observer did not see go
// is not in the list. Both may have gone earlier than was noted: the lag is uncertain by the larger of both delays.
func (t Timeline) RuleLags() []PodLag {
	return t.lagsOf(func(r route) (Elapsed, bool) { return r.Lag, r.stopped })
}

// StillRouted lists, by pod and node, the old pods whose endpoint left ready for good and to which a node's
// rules still routed when they were seen last. The lag is from when the endpoint left until then.
func (t Timeline) StillRouted() []PodLag {
	return t.lagsOf(func(r route) (Elapsed, bool) { return r.Lag, !r.stopped })
}

// RulesAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the node's rules stopped routing to it or, if they
// did not, were seen last; negative before it. If a pod is still routed to and its SIGTERM was not seen, the time is from the pod's
// end: it cannot have got SIGTERM later.
func (t Timeline) RulesAfterSigterm() (stopped, routing []PodLag) {
	since := func(whether bool) []PodLag {
		return t.lagsOf(func(r route) (Elapsed, bool) {
			sigterm, seen := t.sigterm(r.Pod)
			if !seen && !r.stopped {
				sigterm, seen = t.ended(r.Pod)
			}
			return r.to.Since(sigterm), seen && r.stopped == whether
		})
	}
	return since(true), since(false)
}

// lagsOf lists, by pod and node, the lags that a function returns for the routes to pods whose endpoint left ready for good.
func (t Timeline) lagsOf(of func(route) (lag Elapsed, is bool)) (lags []PodLag) {
	for _, r := range t.routes {
		if lag, is := of(r); is && r.left {
			lags = append(lags, PodLag{r.Pod, r.Node, lag})
		}
	}
	return lags
}

// ClientsAfterSigterm lists, by pod and node, how long after each old pod's SIGTERM the last request that reached it over a new
// connection from a pod was sent; negative when it was sent before.
func (t Timeline) ClientsAfterSigterm() []PodLag {
	return t.lastTo(func(pod string, sent Time) (Elapsed, bool) {
		sigterm, seen := t.sigterm(pod)
		return sent.Since(sigterm), seen
	})
}

// DrainLags lists, by pod and node, how long after each old pod's endpoint left ready a fresh lane in a pod sent its last hit to it,
// whether or not the reply came back. A pod and node without such a hit are not in the list. If the clocks cannot tell whether
// the last hit came after, they are, and the lag may be negative.
func (t Timeline) DrainLags() []PodLag {
	return t.lastTo(func(pod string, sent Time) (Elapsed, bool) {
		left := t.left[pod]
		return sent.Since(left), left.AsNoted().NotAfter(sent) != No
	})
}

// lastTo lists, by pod and node, the longest lag that a function returns for the last request to each old pod whose endpoint left ready,
// over the node's lanes that follow the rules.
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

// SentAfterDrain counts the pairs of an old pod and a node whose clients with new connections still sent requests, to any pod, later
// than d after the old pod's endpoint left ready.
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

// A StaleRule says that a node's rules still routed to an old pod after its SIGTERM, when a new connection may be lost.
type StaleRule struct {
	Pod, Node string
	Window                  // from SIGTERM until the rules stopped, or were seen last
	Drain     time.Duration // from when the endpoint left ready until SIGTERM
	Lag       time.Duration // from when the endpoint left ready until the rules stopped, or were seen last
}

// StaleRules lists the stale rules by pod and node, including rules that stopped so close to SIGTERM that the clocks cannot tell.
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

// NeededDrains returns, by node, how long a pod has to keep serving after its endpoint left ready so that no new connection by the
// node's rules is lost: the longest that an old pod had to. A node whose rules were not observed is not in it.
func (t Timeline) NeededDrains() map[string]time.Duration {
	needed := map[string]time.Duration{}
	for _, r := range t.routes {
		if r.left {
			needed[r.Node] = max(needed[r.Node], r.needed)
		}
	}
	return needed
}
