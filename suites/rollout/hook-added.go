package rollout

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// hookAdded: a pod has the hook of the template that it was made from. The first rollout that brings a hook ends pods without one,
// and the first that removes it ends pods that still have it. For why the first must lose requests, see
// termination/shutdown-at-sigterm.
func hookAdded() []harness.Scenario {
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), HandlerDelay: slowReply,
		},
	}).Twins(harness.Twin{
		ID:     "hook-added",
		Claim:  "the rollout that adds a preStop sleep and a drain to the pod template still loses requests: the pods that end have neither",
		Kind:   harness.UnderLoad{Rollout: rollout.UpdateWith("v1", "v2", drains)},
		Expect: []evidence.Expectation{verdict.LostWhileTerminating().On(evidence.Fresh)},
	}, harness.Twin{
		ID:     "hook-added-before",
		Claim:  "pods that were made with a preStop sleep and a drain lose no request, though the rollout takes both out of the pod template",
		Change: func(s *harness.Scenario) { drains(&s.App) },
		Kind:   harness.UnderLoad{Rollout: rollout.UpdateWith("v1", "v2", exits)},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.RulesBeforeSigterm()},
	})
}
