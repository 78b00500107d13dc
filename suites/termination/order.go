package termination

import (
	"context"
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// order scales pods away while others stay ready, so that kube-proxy does leave those out that end. Without a hook kubelet and
// kube-proxy race: a kube-proxy writes its first change at once and the next one only after its minSyncPeriod of 1 s, and a kubelet
// stops several pods one after another. Where none stays ready kube-proxy leads to those that terminate for as long as they serve
// (KEP-1669), so that SIGTERM comes first.
func order() []harness.Scenario {
	const (
		hook, linger = 6 * time.Second, 2 * time.Second
		follow       = 6 * time.Second // that the API and kube-proxy may take to follow a pod's end: see endpoints
	)
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		app       fixtures.App
		stay      int // pods that are not scaled away
		observed  bool
		sigterm   evidence.Expectation
	}{
		{id: "order-left-open", claim: "without a hook some pods get SIGTERM before a node's rules stop routing to them, and some after",
			app: fixtures.App{Replicas: 10, OnTerm: fixtures.Drain}, stay: 2, observed: true,
			sigterm: verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone).Decides("C39.rules-first", "C39.sigterm-first")},
		{id: "order-sigterm-first", claim: "without a hook and without another ready pod every pod gets SIGTERM before a node's rules stop routing to it",
			app: fixtures.App{Replicas: 2, Linger: linger, OnTerm: fixtures.Drain}, observed: true,
			sigterm: verdict.Between(evidence.PodSigterm, evidence.RuleGone, linger/2, linger+follow).Decides("C39.sigterm-first")},
		{id: "order-by-hook", claim: "with a hook of 6 s every pod is out of the endpoints for 3 s or longer when it gets SIGTERM",
			app: fixtures.App{Replicas: 10, PreStopSleep: hook, OnTerm: fixtures.Drain}, stay: 2,
			sigterm: verdict.Between(evidence.EndpointNotReady, evidence.PodSigterm, hook/2, hook+4*time.Second)},
	} {
		scenarios = append(scenarios, harness.Scenario{
			ID: row.id, Claim: row.claim, App: row.app, Observed: row.observed,
			Tries: 3, // which is first is chance
			Steps: func(ctx context.Context, steps *harness.Steps) {
				steps.Deploy(ctx, row.app, "v1")
				if row.observed {
					all := int(row.app.Replicas)
					steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", all) })
				}
				steps.Mark(evidence.RolloutBegun)
				steps.Scale(ctx, row.app.ResourceName(), int32(row.stay))
				steps.Until(ctx, func(s observe.State) bool {
					return s.Count("v1") == row.stay && (!row.observed || s.ReachesEverywhere("v1", row.stay))
				})
			},
			Expect: []evidence.Expectation{row.sigterm},
		})
	}
	return scenarios
}
