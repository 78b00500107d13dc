package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

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
