package autoscale

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// serverSideConflict: the API server refuses the whole manifest, so the new image is not rolled out either. Seen: the owner of
// replicas is the controller manager, by its write through the scale subresource; a forced apply took the field from it, and the 3
// pods too many were being deleted 0.05 to 0.3 s later. The autoscaler took the field back at its next look.
func serverSideConflict() harness.Scenario {
	return harness.Scenario{
		ID: "server-side-conflict",
		Claim: "server-side apply of a manifest with replicas is refused while an autoscaler owns them; " +
			"forcing it cuts 4 pods to 1",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			one := new(int32(1))
			scaledUp(ctx, steps, serverSide, one)
			var refused apierrors.APIStatus
			_, err := applyServerSide(ctx, steps, manifest(steps, "v2", one), false)
			if !errors.As(err, &refused) || refused.Status().Details == nil {
				harness.Check(fmt.Errorf("not refused with a reason: %w", err))
			}
			steps.Note("refusal", refused.Status().Reason)
			steps.Note("code of the refusal", refused.Status().Code)
			steps.Note("conflicts", len(refused.Status().Details.Causes))
			for _, cause := range refused.Status().Details.Causes {
				steps.Note("in conflict", cause.Message)
				steps.Note("field in conflict", cause.Field)
			}
			d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
			steps.Note("replicas after the refusal", *d.Spec.Replicas)
			steps.Note("version after the refusal", d.Spec.Template.Labels[fixtures.VersionLabel])
			lookedAgain(ctx, steps) // as in manifests
			reapplied(ctx, steps, serverSideForced, manifest(steps, "v2", one), scaledUpSize)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("refusal", "Conflict").Decides("C15.size"),
			verdict.Fact("code of the refusal", "409"),
			verdict.Fact("conflicts", "1"),
			verdict.Fact("in conflict", `conflict with "kube-controller-manager" with subresource "scale" using apps/v1`),
			verdict.Fact("field in conflict", ".spec.replicas"),
			verdict.Fact("replicas after the refusal", "4").Decides("C15.size"),
			verdict.Fact("version after the refusal", "v1"),
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable),
		},
	}
}
