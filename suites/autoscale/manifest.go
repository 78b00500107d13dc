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
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// scaledUpSize is the size that the autoscaler gives the app, which begins with 1 pod here.
const scaledUpSize = 4

// manifests are the ways to keep the number of replicas out of a manifest. Seen: client-side apply removes replicas that it once
// wrote, whoever has written them since, and the API server then fills in its default of 1; the 3 pods too many were being deleted
// 0.1 to 0.7 s later. Server-side apply gives up only what it owns, and the autoscaler's first write took the field over. An apply
// that drops the size comes when the autoscaler has just looked: it and the Deployment controller do not wait for each other.
func manifests() []harness.Scenario {
	kept := []evidence.Expectation{
		verdict.Fact("replicas after the apply", "4").Decides("C15.size"),
		verdict.Scaling("v2:1", "v1:3", "v2:2"),
		verdict.MinAvailable(3).Decides("C15.size"),
		verdict.MaxActive(5),
		verdict.Fact("replicas after the next apply", "4"),
	}
	return []harness.Scenario{{
		ID:     "manifest-never-with-replicas",
		Claim:  "applying a manifest that never named replicas keeps the size of 4 that the autoscaler gave",
		Kind:   harness.InSteps{Do: fix{how: clientSide}.run},
		Expect: kept,
	}, {
		ID: "manifest-without-replicas-any-more",
		Claim: "the first client-side apply of a manifest without replicas cuts 4 pods to 1 until the autoscaler's next look; " +
			"the next apply keeps 4",
		Kind: harness.InSteps{Do: fix{how: clientSide, first: new(int32(1)), drops: true}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1").Decides("C15.size"),
			verdict.Scaling("v1:1"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C15.size"),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
			verdict.Fact("replicas after the next apply", "4"),
		},
	}, {
		ID:     "manifest-server-side",
		Claim:  "server-side apply of a manifest that never named replicas keeps the size of 4 that the autoscaler gave",
		Kind:   harness.InSteps{Do: fix{how: serverSide}.run},
		Expect: kept,
	}, {
		ID: "manifest-server-side-without-replicas-any-more",
		Claim: "server-side apply of a manifest that no longer names replicas keeps the size of 4, " +
			"which the autoscaler owns by then",
		Kind:   harness.InSteps{Do: fix{how: serverSide, first: new(int32(1))}.run},
		Expect: kept,
	}}
}

// A fix is how a manifest without replicas is applied.
type fix struct {
	how   apply
	first *int32 // replicas in the first manifest; nil: it names none
	drops bool   // applying it drops the size, so that the autoscaler has to write it
}

func (f fix) run(ctx context.Context, steps *harness.Steps) {
	scaledUp(ctx, steps, f.how, f.first)
	if f.drops {
		lookedAgain(ctx, steps)
	}
	reapplied(ctx, steps, f.how, manifest(steps, "v2", nil), scaledUpSize)
	d := f.how(ctx, steps, manifest(steps, "v1", nil))
	steps.Note("replicas after the next apply", *d.Spec.Replicas)
}

// scaledUp applies v1 with 1 pod and returns when the autoscaler has made that scaledUpSize pods.
func scaledUp(ctx context.Context, steps *harness.Steps, how apply, replicas *int32) {
	how(ctx, steps, manifest(steps, "v1", replicas))
	autoscaled(ctx, steps, scaledUpSize)
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", scaledUpSize) })
}

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

// imageOnly changes only the template, as `kubectl set image` does. The percentages of the rollout are of spec.replicas, which the
// autoscaler writes; there is no other number. Seen: 12 pods at 25 % have a surge of 3 and miss 3, not the 1 and 0 that the
// manifest's single replica would give.
func imageOnly() harness.Scenario {
	return harness.Scenario{
		ID:      "image-only",
		Profile: harness.Core,
		Claim:   "changing only the image keeps at least 9 of 12 autoscaled pods available, and asks for at most 15",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			clientSide(ctx, steps, manifest(steps, "v1", new(int32(1))))
			scaled(ctx, steps, 12)
			autoscaled(ctx, steps, 6)
			steps.RollOut(ctx, fixtures.App{}, rollout.Update("v1", "v2"))
		}},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:3", "v1:9", "v2:6").Decides("C12"), // of 1 replica it would be v2:1, which keeps both bounds
			verdict.MinAvailable(9),
			verdict.MaxActive(15),
		},
	}
}
