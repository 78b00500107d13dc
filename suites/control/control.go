// Package control asks whether Rollcall sees damage at all. Each scenario here does something that must cost clients requests: if
// it sees no loss, that means that Rollcall is blind, not that the cluster is good.
package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return []harness.Scenario{undrainedRollingUpdate(), unprobed(), undrainedStorm()}
}

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

// unprobed: without a readiness probe a pod counts as ready when its container runs, and gets requests before its app listens; the
// drain of the old pods does not help. Twin of rollout/one-by-one. A rollout that loses none is practically impossible: at the
// lowest rate, each of two nodes sends 6 requests a second over new connections. Rules may take 3 s to follow, as elsewhere, which
// leaves 2 s until a pod listens. In these 2 s 24 requests go through the Service, and a pod gets one of at most 4: with 3 pods
// none is lost with a chance of (3/4)^72, once in a thousand million rollouts.
func unprobed() harness.Scenario {
	app := fixtures.Drained()
	app.StartDelay, app.Unprobed = 5*time.Second, true
	return harness.Update(harness.Scenario{
		ID:      "unprobed",
		Profile: harness.Core,
		Claim:   "replacing every pod fails requests when pods take 5 s to start and nobody probes whether they have",
		App:     app,
		Expect: []evidence.Expectation{
			verdict.LostWhileStarting().Surely().Decides("C32.unprobed"),
		},
	})
}

// undrainedStorm: nearly every pod termination of rollout/storm would cost a request if its pods did not drain.
//
// This is not left to chance. A reply takes 0.5 s, and a pod that exits at SIGTERM loses the requests in flight. Of a node that
// sends 25 requests a second over new connections these are the last 12, each of them to one of four pods at most, so that
// (3/4)^12, 3 %, of terminations lose none; with keep-alive connections it is about as few. After that the node's rules route to
// the dead pod for the rest of kube-proxy's minSyncPeriod of 1 s, which began just before, when the pod's successor became ready:
// 12 more requests in half a second. All three together miss one termination in 30,000 at 25 a second, and one in 180 at 12. Each
// loss belongs to the pod that logged the request, or to the only pod in whose window it was sent: pods follow each other as slowly
// as they start.
func undrainedStorm() harness.Scenario {
	app := fixtures.Drained()
	app.PreStopSleep, app.Linger, app.OnTerm, app.HandlerDelay = 0, 0, fixtures.Exit, 500*time.Millisecond
	return harness.Update(harness.Scenario{
		ID:        "undrained-storm",
		Claim:     "95 of 100 pod terminations, counted by node, lose a request when the pods exit as soon as they get SIGTERM",
		App:       app,
		Exclusive: true, // the arithmetic above depends on the rate
		Kind:      harness.UnderLoad{Rollout: rollout.RestartThenUpdate("v1", "v2", 10)},
		Expect: []evidence.Expectation{
			verdict.MinTerminations(59).Needing(evidence.NodeRules), // elsewhere pods count, not nodes
			verdict.MinTerminationsLost(95).Decides("C31"),
		},
		Tries: 3,
	})
}
