package rollout

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// hookAdded: a hook is of a pod, by the template that it was made from. The first rollout that brings one ends pods that have none,
// and the first that leaves it out ends pods that have it still. For why the first must lose requests, see termination/shutdown-at-sigterm.
func hookAdded() []harness.Scenario {
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), HandlerDelay: underWay,
		},
	}).Twins(harness.Twin{
		ID:     "hook-added",
		Claim:  "the rollout that adds a preStop sleep and a drain to the pod template still loses requests: the pods that end have neither",
		Change: func(s *harness.Scenario) { s.Rollout = rollout.UpdateWith("v1", "v2", drains) },
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	}, harness.Twin{
		ID:    "hook-added-before",
		Claim: "pods that were made with a preStop sleep and a drain lose no request, though the rollout takes both out of the pod template",
		Change: func(s *harness.Scenario) {
			drains(&s.App)
			s.Rollout = rollout.UpdateWith("v1", "v2", exits)
		},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.RulesBeforeSigterm()},
	})
}
