package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// followed is how long the rules of all nodes take to follow the endpoints.
const followed = 3 * time.Second

// Reasons for distrust that a dead node causes.
const (
	nodeUnready     = "node-unready"
	podLogLost      = "pod-log-lost"
	controlFailures = "control-failures"
)

// node: a node that falls silent keeps its share of the requests until its controller marks it unreachable. When it is back,
// requests may fail until the cluster is whole. A node that is drained first costs nothing.
func node() []harness.Scenario {
	cut := []string{nodeUnready, controlFailures}
	dead := append(cut, podLogLost, evidence.ObserverLost, evidence.AgentLost)
	detected := []evidence.Expectation{
		verdict.LostShare(inEffect, undetected, evidence.DisruptionBegun).OnOthers(),
		verdict.RecoversWithin(detection, evidence.DisruptionBegun).Until(evidence.DisruptionUndone).OnOthers(),
		verdict.RecoversWithin(followed, evidence.ClusterWhole).OnOthers(),
	}
	drainedFirst := disruption.Drain{Node: disruption.Worker, Then: disruption.Rebooted(disruption.Worker)}.Do
	return []harness.Scenario{
		steady("a node that is cut off costs other clients its share of new connections for 35 s to a minute, and none until it is back",
			drained(), disruption.Disruption{
				ID: "node-cut", Does: "worker is cut off from the other nodes for 70 s", Nodes: onWorker, Expects: cut, Lasts: silent,
				Do: disruption.Cut(disruption.Worker, silent),
			}, detected...),
		steady("a node that is cut off and has all pods costs other clients every request", onOneNode(), disruption.Disruption{
			ID: "node-cut-with-all-pods", Does: "worker, which has all pods, is cut off from the other nodes for 15 s", Nodes: onWorker,
			Expects: cut, Lasts: 15 * time.Second, Do: disruption.Cut(disruption.Worker, 15*time.Second),
		}, verdict.MinOutage(15*time.Second-loadgen.DefaultTimeout).OnOthers(), // later requests are answered when the cut ends
			verdict.LostShare(inEffect, 12*time.Second, evidence.DisruptionBegun).OnOthers()), // of all pods, which is every request
		steady("a node that freezes costs other clients its share of new connections for 35 s to a minute, and none until it is back",
			drained(), disruption.Disruption{
				ID: "node-frozen", Does: "worker is frozen for 70 s", Nodes: onWorker, Expects: dead, Lasts: silent,
				Do: disruption.Frozen(disruption.Worker, silent),
			}, detected...),
		steady("a node that is rebooted after a drain costs other clients no request", drained(), disruption.Disruption{
			ID: "node-rebooted-after-drain", Does: "worker is drained, rebooted and uncordoned", Nodes: onWorker,
			Expects: dead, Lasts: 60 * time.Second, Do: drainedFirst,
		}, verdict.NoFailures().OnOthers()),
		steady("a node that is rebooted fails requests of other clients until it is back, and then none",
			drained(), disruption.Disruption{
				ID: "node-rebooted", Does: "worker is rebooted", Nodes: onWorker, Expects: dead, Lasts: 40 * time.Second,
				Do: disruption.Rebooted(disruption.Worker),
			}, verdict.DamageSeen().On(evidence.Fresh).OnOthers(),
			verdict.RecoversWithin(followed, evidence.ClusterWhole).OnOthers()),
		steady("a node that loses its power costs other clients its share of new connections for 35 s to a minute, and none until it is back",
			drained(), disruption.Disruption{
				ID: "node-off", Does: "worker loses its power, and is on again after 70 s", Nodes: onWorker, Expects: dead, Lasts: silent,
				Do: disruption.Off(disruption.Worker, silent),
			}, detected...),
	}
}
