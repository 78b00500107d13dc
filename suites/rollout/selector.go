package rollout

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// selector: a Deployment's selector, by which it owns pods, cannot be changed (Kubernetes v1.36.3,
// pkg/registry/apps/deployment/strategy.go, ValidateUpdate). A manifest with other labels is refused as a whole, and nothing is
// rolled out.
func selector() harness.Scenario {
	app := fixtures.App{Replicas: 1}
	return harness.Scenario{
		ID:    "selector",
		Claim: "a Deployment whose selector is changed is refused, and its pods stay",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			first := steps.StayingPods(ctx)
			patch := `{"spec":{"selector":{"matchLabels":{"team":"a"}},"template":{"metadata":{"labels":{"team":"a"}}}}}`
			_, err := steps.Client.AppsV1().Deployments(steps.Namespace).Patch(ctx, fixtures.DefaultName, types.StrategicMergePatchType,
				[]byte(patch), metav1.PatchOptions{})
			noteReply(steps, "another selector", err)
			noteStaying(ctx, steps, first, "that")
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("another selector", "FieldValueInvalid spec.selector"),
			verdict.Fact("after that", "revision 1, 1 of 1 first pods"),
		},
	}
}
