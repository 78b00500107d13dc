package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// An Overstay is how a node's rules went on leading to an old pod that had been told to exit: from then on a new
// connection by them may be lost.
type Overstay struct {
	Pod, Node string
	Window                  // from SIGTERM until the rules stopped, or were seen last
	Drain     time.Duration // from when the endpoint left ready until SIGTERM
	Lag       time.Duration // from then until the rules stopped, or were seen last
}

// Overstays lists them by pod and node. A node whose rules stopped before is not in the list, unless the clocks cannot
// tell.
func (t Timeline) Overstays() []Overstay {
	left, told := t.departures(), map[string]time.Duration{}
	for _, e := range t.Events {
		if _, departed := left[e.By.Pod]; departed && e.Kind == evidence.PodSigterm {
			told[e.By.Pod] = e.At
		}
	}
	var stays []Overstay
	add := func(of PodLag) {
		from, was := told[of.Pod]
		to := left[of.Pod] + of.Lag.Length
		if was && to+of.Lag.Uncertainty > from {
			stays = append(stays, Overstay{of.Pod, of.Node, Window{from, max(from, to), of.Lag.Uncertainty}, from - left[of.Pod], of.Lag.Length})
		}
	}
	for _, lag := range t.RuleLags() {
		add(lag)
	}
	for _, routed := range t.StillRouted() {
		add(routed)
	}
	slices.SortStableFunc(stays, func(a, b Overstay) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	})
	return stays
}

// SigtermsSeen reports whether of every old pod that departed it was seen when it was told to exit.
func (t Timeline) SigtermsSeen() bool {
	told := map[string]bool{}
	for _, e := range t.Events {
		if e.Kind == evidence.PodSigterm {
			told[e.By.Pod] = true
		}
	}
	for _, pod := range t.Departed() {
		if !told[pod] {
			return false
		}
	}
	return true
}

// NeededDrains is, by node, how long a pod has to serve on after its endpoint left ready so that no new connection by the
// node's rules is lost: as long as they led to any old pod, at most, without the time in which no endpoint was ready. Then
// they lead to old pods on purpose, as long as those serve (KEP-1669). A node whose rules were not observed has none.
func (t Timeline) NeededDrains() map[string]time.Duration {
	needed := map[string]time.Duration{}
	left, deserted := t.departures(), t.deserted()
	for _, lags := range [][]PodLag{t.RuleLags(), t.StillRouted()} {
		for _, l := range lags {
			length := l.Lag.Length
			for _, w := range deserted {
				length -= max(0, min(left[l.Pod]+l.Lag.Length, w.To)-max(left[l.Pod], w.From))
			}
			needed[l.Node] = max(needed[l.Node], length+l.Lag.Uncertainty)
		}
	}
	return needed
}

// deserted lists when no endpoint was ready any more, until one was again or the recording ended.
func (t Timeline) deserted() (windows []Window) {
	ready := map[string]bool{}
	var since time.Duration
	empty := false
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.EndpointReady:
			ready[e.By.Pod] = true
			if empty {
				windows = append(windows, Window{From: since, To: e.At})
				empty = false
			}
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if ready[e.By.Pod] && len(ready) == 1 {
				empty, since = true, e.At
			}
			delete(ready, e.By.Pod)
		}
	}
	if empty {
		windows = append(windows, Window{From: since, To: math.MaxInt64})
	}
	return windows
}
