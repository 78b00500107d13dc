package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// proxy: the rules that kube-proxy wrote keep routing without it, and a new one adopts them. Without kube-proxy they stay the same,
// which costs nothing until endpoints change.
func proxy() []harness.Scenario {
	rolling := inRollout("while a node has no kube-proxy that works, an app that drains loses requests of clients on that node, and of no others",
		drained(), disruption.Disruption{
			ID: "proxy-down-in-rollout", Does: "kube-proxy of worker is stopped for 20 s while the app is rolled out", Nodes: onWorker,
			Lasts: 20 * time.Second, Do: disruption.Stopped(disruption.Worker, "kube-proxy", 20*time.Second),
		}, onlyOn(evidence.Fresh)...)
	return []harness.Scenario{
		steady("a restart of kube-proxy fails no request", drained(), disruption.Disruption{
			ID: "proxy-restarted", Does: "kube-proxy of worker is restarted", Nodes: onWorker, Lasts: 10 * time.Second,
			Do: disruption.Restarting(disruption.Worker, "kube-proxy", disruption.ProxyRestarted(disruption.Worker)),
		}, verdict.NoFailures(), verdict.NoSlowReplies(), restarted()),
		steady("a kube-proxy that is killed fails no request", drained(), disruption.Disruption{
			ID: "proxy-killed", Does: "kube-proxy of worker is killed", Nodes: onWorker, Lasts: 10 * time.Second,
			Do: disruption.Killed(disruption.Worker, "kube-proxy"),
		}, verdict.NoFailures(), verdict.NoSlowReplies()),
		steady("a node without a kube-proxy that works fails no request while no endpoint changes", drained(), disruption.Disruption{
			ID: "proxy-down", Does: "kube-proxy of worker is stopped for 15 s", Nodes: onWorker, Lasts: 15 * time.Second,
			Do: disruption.Stopped(disruption.Worker, "kube-proxy", 15*time.Second),
		}, verdict.NoFailures()),
		rolling,
	}
}
