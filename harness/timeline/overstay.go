package timeline

import (
	"cmp"
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
// node's rules is lost: as long as they led to any old pod, at most. A node whose rules were not observed has none.
func (t Timeline) NeededDrains() map[string]time.Duration {
	needed := map[string]time.Duration{}
	for _, lags := range [][]PodLag{t.RuleLags(), t.StillRouted()} {
		for _, l := range lags {
			needed[l.Node] = max(needed[l.Node], l.Lag.Length+l.Lag.Uncertainty)
		}
	}
	return needed
}
