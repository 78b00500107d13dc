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
	removed, noneReady := t.endpointRemovals(), t.noReadyEndpoints()
	for _, l := range slices.Concat(t.RuleLags(), t.StillRouted()) {
		from, length := removed[l.Pod], l.Lag.Length
		for _, w := range noneReady {
			length -= max(0, min(from+l.Lag.Length, w.To)-max(from, w.From))
		}
		needed[l.Node] = max(needed[l.Node], length+l.Lag.Uncertainty)
	}
	return needed
}
