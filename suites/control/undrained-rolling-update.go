package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// undrainedRollingUpdate: the pods exit as soon as they get SIGTERM, while the nodes' rules still route to them. A plain lane
// beside the others shows how many of the losses Go's own client hides, and a kept one outside what load balancers lose. Twin of
// rollout/drained-rolling-update.
//
// Where kube-proxy pauses between two writes, a rollout that loses no new connection is practically impossible: it wrote when a pod's
// successor became ready, just before the pod was deleted, and writes again only minSyncPeriod, 1 s, later (KubeProxyConfiguration
// v1alpha1, and pkg/proxy/runner/bounded_frequency_runner.go, v1.37). In that second a node sends 6 requests or more over new
// connections, each of them to one of 5 pods: none of 8 pairs of a pod and a node has one in (4/5)^48, once in 40,000 rollouts. ipvs
// writes without a pause, and of other data planes nothing is known: there a loss is left to chance.
func undrainedRollingUpdate() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	app.PreStopSleep, app.Linger, app.OnTerm = 0, 0, fixtures.Exit
	raced := verdict.LostWhileTerminating().On(evidence.Fresh).ByTheClock().Decides("C31") // an app that exits breaks kept connections anyway
	return harness.Update(harness.Scenario{
		ID:      "undrained-rolling-update",
		Profile: harness.Smoke,
		Claim:   "replacing every pod fails requests when pods exit as soon as they get SIGTERM",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Plain, evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.DamageSeen(),
			verdict.LostWhileTerminating(),
			raced.Surely().In("iptables").In("nftables"),
			raced.In("ipvs").In(evidence.NoProxy),
			verdict.MaxRuleLag(3 * time.Second).Scaled(),
		},
		Tries: 3,
	})
}
