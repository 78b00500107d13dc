package disruption

import (
	"time"

	"example.com/rollcall/fixtures"
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

// silent is how long a kubelet or a node is away, so that the endpoints of its pods have left: see detection.
const silent = detection + 7*time.Second

// onOneNode pins an app to the node that is disrupted.
func onOneNode() fixtures.App {
	app := drained()
	app.Nodes = onWorker
	return app
}

// kubelet: pods keep running without it. Once their node is marked unreachable, their endpoints leave, though they still serve.
func kubelet() []harness.Scenario {
	stopped := disruption.Lasting(silent, disruption.Worker, "systemctl stop kubelet", "systemctl start kubelet")
	return []harness.Scenario{
		steady("a restart of a kubelet fails no request", drained(), disruption.Disruption{
			ID: "kubelet-restarted", Does: "the kubelet of worker is restarted", Nodes: onWorker, Expects: []string{nodeUnready},
			Lasts: 5 * time.Second,
			Do:    disruption.Restarting(disruption.Worker, "kubelet", disruption.Script(disruption.Worker, "systemctl restart kubelet")),
		}, verdict.NoFailures(), restarted()),
		steady("a kubelet that is down fails no request while other nodes have ready pods", drained(), disruption.Disruption{
			ID: "kubelet-down", Does: "the kubelet of worker is down for 70 s", Nodes: onWorker, Expects: []string{nodeUnready},
			Lasts: silent, Do: stopped,
		}, verdict.NoFailures()),
		steady("a kubelet that is down for a minute fails every new connection where its node has all pods, until it is back, and no open one",
			onOneNode(), disruption.Disruption{
				ID: "kubelet-down-with-all-pods", Does: "the kubelet of worker, which has all pods, is down for 70 s", Nodes: onWorker,
				Expects: []string{nodeUnready}, Lasts: silent, Do: stopped,
			}, verdict.LostShare(detection, silent, evidence.DisruptionBegun), verdict.NoFailures().On(evidence.Reused),
			verdict.RecoversWithin(followed, evidence.ClusterWhole)),
	}
}

// containerd: containers are children of their shims and keep running. A kubelet without a container runtime reports its node as
// not ready after 30 s (maxWaitForContainerRuntime, pkg/kubelet/kubelet.go, v1.37), when it looks next, every 10 s
// (nodeStatusUpdateFrequency, KubeletConfiguration v1beta1), and its pods stay in the endpoints.
func containerd() []harness.Scenario {
	const unready = 50 * time.Second
	expects := []string{nodeUnready, podLogLost}
	down := func(d time.Duration) disruption.Act {
		return disruption.Lasting(d, disruption.Worker, "systemctl stop containerd", "systemctl start containerd")
	}
	return []harness.Scenario{
		steady("a restart of containerd fails no request", drained(), disruption.Disruption{
			ID: "containerd-restarted", Does: "containerd of worker is restarted", Nodes: onWorker, Expects: expects, Lasts: 5 * time.Second,
			Do: disruption.Restarting(disruption.Worker, "containerd", disruption.Script(disruption.Worker, "systemctl restart containerd")),
		}, verdict.NoFailures(), restarted()),
		steady("a node without containerd fails no request, though it is not ready", drained(), disruption.Disruption{
			ID: "containerd-down", Does: "containerd of worker is down for 50 s", Nodes: onWorker, Expects: expects, Lasts: unready,
			Do: disruption.Together(down(unready), disruption.Later(unready-2*time.Second, disruption.ReadinessNoted(disruption.Worker))),
		}, verdict.NoFailures(), verdict.Fact(disruption.ReadyFact, "False")),
		steady("an app that is killed while its node has no containerd is not started again, and fails requests until its probe does",
			onOneNode(), disruption.Disruption{
				ID: "containerd-down-app-killed", Does: "an app on worker is killed while containerd is down for 10 s", Nodes: onWorker,
				Expects: expects, Lasts: 10 * time.Second, Do: disruption.Together(down(10*time.Second),
					disruption.Later(time.Second, disruption.AppKilled(disruption.Worker)),
					// with containerd, a kubelet restarts the app within 2 s
					disruption.Later(7*time.Second, disruption.AppsCounted(disruption.Worker))),
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.Fact(disruption.AppsFact, "2"),
			// the app is killed after a second and probed every second, and then the rules follow; the rest is for commands on the node
			verdict.RecoversWithin(2*time.Second+followed+3*time.Second, evidence.DisruptionBegun)),
	}
}
