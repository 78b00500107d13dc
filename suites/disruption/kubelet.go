package disruption

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

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
