package autoscale

import (
	"context"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
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
