package timeline

import (
	"time"

	"rollcall/harness/evidence"
)

// SigtermMargins lists, by pod and node, how long before each old pod was told to exit the node's rules stopped
// leading to it; negative when they did so afterwards.
func (t Timeline) SigtermMargins() []PodLag {
	left := t.departures()
	told, clock := map[string]time.Duration{}, map[string]string{}
	for _, e := range t.Events {
		if _, departed := left[e.By.Pod]; departed && e.Kind == evidence.PodSigterm {
			told[e.By.Pod], clock[e.By.Pod] = e.At, e.Clock
		}
	}
	margins := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		at, was := told[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case was && e.Kind == evidence.RuleGone:
			margins[pair] = Elapsed{at - e.At, t.clocks.between(e.Clock, clock[e.By.Pod]) + t.unseen(e)}
		case e.Kind == evidence.RuleAdded:
			delete(margins, pair)
		}
	}
	return sortedLags(margins)
}
