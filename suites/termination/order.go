package termination

import (
	"context"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// order scales pods down while others stay ready, so that kube-proxy does leave out those that end. Without a hook kubelet and
// kube-proxy race: a kube-proxy writes its first change at once and the next one only after its minSyncPeriod of 1 s, and a kubelet
// stops several pods one after another. If none stays ready, kube-proxy routes to terminating pods for as long as they serve
// (KEP-1669), so that SIGTERM comes first.
func order() []harness.Scenario {
	const (
		linger = 2 * time.Second
		follow = 6 * time.Second // which the API and kube-proxy may take to follow the end of a pod: see endpoints
	)
	return []harness.Scenario{
		scaledAway("order-left-open", "without a hook some pods get SIGTERM before a node's rules stop routing to them, and some after",
			fixtures.App{Replicas: 10, OnTerm: fixtures.Drain}, 2,
			verdict.BothOrders().Decides("C39.rules-first", "C39.sigterm-first")),
		scaledAway("order-sigterm-first",
			"without a hook and without another ready pod every pod gets SIGTERM before a node's rules stop routing to it",
			fixtures.App{Replicas: 2, Linger: linger, OnTerm: fixtures.Drain}, 0,
			verdict.Between(evidence.PodSigterm, evidence.RuleGone, linger/2, linger+follow).Decides("C39.sigterm-first")),
	}
}

// scaledAway returns a scenario in which all pods of an app end except those that stay.
func scaledAway(id, claim string, app fixtures.App, stay int, expect evidence.Expectation) harness.Scenario {
	return harness.Scenario{
		ID: id, Claim: claim, App: app,
		Tries: 3, // which comes first is left to chance
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			steps.Mark(evidence.RolloutBegun)
			steps.Scale(ctx, app.ResourceName(), int32(stay))
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == stay && s.ReachesEverywhere("v1", stay) })
		}},
		Expect: []evidence.Expectation{expect},
	}
}
