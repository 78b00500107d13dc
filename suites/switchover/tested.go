package switchover

import (
	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// blueGreenByTest: the next version is asked through a Service of its own before the clients' Service is switched to it, as Argo Rollouts
// does with its previewService and a prePromotionAnalysis. Readiness does not find what the test does: pods that answer every client
// with status 500 are ready. Without a test they get every new connection from the switch on, for the 3 s until the load ends. Reused
// connections stay with the old pods.
func blueGreenByTest() []harness.Scenario {
	broken := func(a *fixtures.App) { a.Env = &corev1.EnvVar{Name: "ROLLCALL_STATUS", Value: "500"} }
	return harness.Scenario{
		App:    fixtures.App{Replicas: 3, OnTerm: fixtures.Drain},
		Expect: []evidence.Expectation{verdict.FullRate(99)},
	}.Twins(harness.Twin{
		ID:    "blue-green-tested",
		Claim: "a Service that is switched to other pods once a test through a second Service has passed fails no request",
		Kind:  harness.UnderLoad{Rollout: rollout.FlipTested("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.Serves("v1", "v2"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.OnlyServes("v2", evidence.Barrier).On(evidence.Fresh),
		},
	}, harness.Twin{
		ID:    "blue-green-refused",
		Claim: "pods that are ready and answer 500 fail a test through a second Service, so that no client is sent to them",
		Kind:  harness.UnderLoad{Rollout: rollout.FlipRefused("v1", "v2", broken)},
		Expect: []evidence.Expectation{
			verdict.Serves("v1"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
		},
	}, harness.Twin{
		ID:    "blue-green-untested",
		Claim: "switching a Service without a test to pods that are ready and answer 500 fails every request over a new connection",
		Kind:  harness.UnderLoad{Rollout: rollout.FlipWith("v1", "v2", broken)},
		Expect: []evidence.Expectation{
			verdict.Serves("v1", "v2"),
			verdict.LostTo(timeline.StageStatus).On(evidence.Fresh).Surely(),
			verdict.OnlyServes("v2", evidence.Barrier).On(evidence.Fresh),
		},
	})
}
