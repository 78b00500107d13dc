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

// agentRestart is how long an agent may take to be back once its node is. A kubelet that could not start a pod, because something that the
// pod needs was not there yet, tries again after 10 s (Kubernetes v1.37.2, pkg/kubelet/kubelet.go, backOffPeriod), and the start itself
// takes some seconds.
const agentRestart = 15 * time.Second

// ExpectedAway reports whether a disruption explains all of an agent's absence: it lasted until the node was back, see [Timeline.Back],
// and no longer than an agent takes from there.
func (t Timeline) ExpectedAway(a AgentAway) bool {
	return t.Expected(evidence.AgentLost, a.Node, a.From) && a.To <= t.Back(a)+agentRestart
}

// Back returns when the node of an agent was ready again, or had booted, as the API showed it during the absence or just after. If the node
// was not seen to be down, it is when the absence began, and if it still was at the end of the absence, that end.
func (t Timeline) Back(a AgentAway) time.Duration {
	back, history := a.From, t.node(a.Node).history
	came := func(from, at time.Duration) {
		if from <= a.To+agentRestart {
			back = max(back, min(at, a.To))
		}
	}
	for _, unready := range history.Unready {
		came(unready.From, unready.To)
	}
	for _, change := range history.Changes {
		if change.What == evidence.Booted {
			came(change.At, change.At)
		}
	}
	return back
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
