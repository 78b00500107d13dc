package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// Expected reports whether a reason for distrust is expected at a moment, on a node or, if node is empty, in the cluster. A
// disruption lists what to expect on its nodes, or on all if it names none, from its begin until some time after the cluster was whole.
func (t Timeline) Expected(reason, node string, at time.Duration) bool {
	d := t.Disruption
	if d == nil || !slices.Contains(d.Expects, reason) || node != "" && len(d.Nodes) > 0 && !slices.Contains(d.Nodes, node) {
		return false
	}
	begun, ok := t.Mark(evidence.DisruptionBegun)
	whole, over := t.Mark(evidence.ClusterWhole)
	return ok && at >= begun && (!over || at < whole+d.Tail)
}

// OnDisrupted reports whether a lane's client is on a node that was disrupted.
func (t Timeline) OnDisrupted(l Lane) bool {
	return t.Disruption != nil && slices.Contains(t.Disruption.Nodes, l.Node)
}

// podLogLost is the reason for distrust that a part of a pod's log is lost.
const podLogLost = "pod-log-lost"

// unlogged returns a function that reports whether the arrival of an answered request may be missing from the pod's log: a part of that
// log is lost, or all programs of its node end, and the ones that write logs end first.
func (t Timeline) unlogged() func(evidence.Hit) bool {
	lost := map[string]bool{}
	for _, e := range t.doubts {
		lost[e.By.Pod] = lost[e.By.Pod] || e.Kind == evidence.RecorderLost
	}
	delete(lost, "")
	return func(h evidence.Hit) bool { return lost[h.By.Pod] || t.Expected(podLogLost, h.By.Node, h.Sent) }
}
