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
// stops several pods one after another.
func order() []harness.Scenario {
	const hook, stay = 6 * time.Second, 2
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		app       fixtures.App
		observed  bool
		sigterm   evidence.Expectation
	}{
		{id: "order-left-open", claim: "without a hook some pods get SIGTERM before a node's rules stop routing to them, and some after",
			app: fixtures.App{Replicas: 10, OnTerm: fixtures.Drain}, observed: true,
			sigterm: verdict.BothOrders(evidence.PodSigterm, evidence.RuleGone).Decides("C39")},
		{id: "order-by-hook", claim: "with a hook of 6 s every pod is out of the endpoints for 3 s or longer when it gets SIGTERM",
			app:     fixtures.App{Replicas: 10, PreStopSleep: hook, OnTerm: fixtures.Drain},
			sigterm: verdict.Between(evidence.EndpointNotReady, evidence.PodSigterm, hook/2, hook+4*time.Second).Decides("C39")},
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
				steps.Scale(ctx, row.app.ResourceName(), stay)
				steps.Until(ctx, func(s observe.State) bool {
					return s.Count("v1") == stay && (!row.observed || s.ReachesEverywhere("v1", stay))
				})
			},
			Expect: []evidence.Expectation{row.sigterm.Decides("C39")},
		})
	}
	return scenarios
}
