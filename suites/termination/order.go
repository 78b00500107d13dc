package termination

import (
	"context"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// order: the kubelet and the EndpointSlice controller hear of a deletion from the API server, and not of each other. A hook
// is all that puts one before the other.
func order() []harness.Scenario {
	const hook = 6 * time.Second
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		app       fixtures.App
		sigterm   evidence.Expectation
	}{
		{id: "order-left-open", claim: "without a hook a pod gets SIGTERM within 4 s of leaving the endpoints, before or after it",
			app:     fixtures.App{Replicas: 8, OnTerm: fixtures.Drain},
			sigterm: verdict.Between(evidence.EndpointNotReady, evidence.PodSigterm, -4*time.Second, 4*time.Second)},
		{id: "order-by-hook", claim: "with a hook of 6 s every pod is out of the endpoints for 3 s or longer when it gets SIGTERM",
			app:     fixtures.App{Replicas: 8, PreStopSleep: hook, OnTerm: fixtures.Drain},
			sigterm: verdict.Between(evidence.EndpointNotReady, evidence.PodSigterm, hook/2, hook+4*time.Second)},
	} {
		scenarios = append(scenarios, harness.Scenario{
			ID: row.id, Claim: row.claim, Covers: []string{"C39"}, App: row.app,
			Steps: func(ctx context.Context, steps *harness.Steps) error {
				if err := steps.Deploy(ctx, row.app, "v1"); err != nil {
					return err
				}
				none := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: steps.Namespace, Name: row.app.ResourceName()}}
				if _, err := steps.Client.AppsV1().Deployments(steps.Namespace).UpdateScale(ctx, none.Name, none, metav1.UpdateOptions{}); err != nil {
					return err
				}
				return steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 })
			},
			Expect: []evidence.Expectation{verdict.Decides("C39", row.sigterm)},
		})
	}
	return scenarios
}
