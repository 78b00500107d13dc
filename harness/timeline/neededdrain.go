package timeline

import (
	"slices"
	"time"
)

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
	removed, noneReady := t.endpointRemovals(), t.noReadyEndpoints()
	needed := slices.Concat(t.RuleLags(), t.StillRouted())
	for i := range needed {
		l := &needed[i]
		from, to := removed[l.Pod], removed[l.Pod]+l.Lag.Length
		for _, w := range noneReady {
			l.Lag.Length -= max(0, min(to, w.To)-max(from, w.From))
		}
	}
	return needed
}
