package timeline

import (
	"cmp"
	"slices"
	"time"
)

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
func (t Timeline) StaleRules() []StaleRule {
	removed, sigterms := t.endpointRemovals(), t.sigterms()
	var stale []StaleRule
	for _, l := range slices.Concat(t.RuleLags(), t.StillRouted()) {
		left, to := removed[l.Pod], removed[l.Pod]+l.Lag.Length
		if sigterm, seen := sigterms[l.Pod]; seen && to+l.Lag.Uncertainty > sigterm.At {
			stale = append(stale, StaleRule{
				Pod: l.Pod, Node: l.Node, Window: Window{sigterm.At, max(sigterm.At, to), l.Lag.Uncertainty},
				Drain: sigterm.At - left, Lag: l.Lag.Length,
			})
		}
	}
	slices.SortStableFunc(stale, func(a, b StaleRule) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	})
	return stale
}
