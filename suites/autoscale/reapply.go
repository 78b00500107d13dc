package autoscale

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// A reapply is a manifest that names replicas, applied by `kubectl apply` to an app to which an autoscaler has
// given another size.
type reapply struct {
	live     int32  // pods before
	least    int32  // the autoscaler's minReplicas
	replicas int32  // in the manifest, which always names them
	version  string // in the manifest; v1 is running
	keeps    bool   // the manifest allows no pod to be unavailable; else it has the limits that Deployments have by themselves
}

// reapplies: when a Deployment's size changes, it is first scaled, in one step and without the limits of the rollout, and then
// rolled out (Kubernetes v1.36.3, pkg/controller/deployment/deployment_controller.go, isScalingEvent). Seen: 11 of 12 pods were
// being deleted 0.1 to 1.5 s after the apply. The autoscaler wrote its minimum when it looked next; 6 pods were ready 3 to 11 s
// later, depending on how busy the machine was. The autoscaler and the Deployment controller do not wait for each other: a manifest
// below the minimum is applied when the autoscaler has just looked, so that the drop is over when it looks again 15 s later.
func reapplies() []harness.Scenario {
	return []harness.Scenario{{
		ID: "reapply-below-the-minimum",
		Claim: "applying a manifest that names 1 replica cuts 12 pods to 1 at once; " +
			"without metrics, the autoscaler restores its minimum at its next look",
		Kind: harness.InSteps{Do: reapply{live: 12, least: 6, replicas: 1, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1").Decides("C15.size"),
			verdict.Scaling("v1:1", "v2:1").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
			verdict.FactWithin("from the apply to the minimum again", 0, time.Minute),
			verdict.Fact(minimumMessage, "New size: 6; reason: Current number of replicas below Spec.MinReplicas").
				Decides("C11.minimum", "C15.floor"),
		},
	}, {
		ID: "reapply-unchanged",
		Claim: "reapplying the running manifest, which names 1 replica, rolls nothing out, " +
			"but cuts 12 pods to 1 until the autoscaler's next look",
		Kind: harness.InSteps{Do: reapply{live: 12, least: 6, replicas: 1, version: "v1"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v1:6").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
		},
	}, {
		ID:    "reapply-at-the-minimum",
		Claim: "applying a manifest that names 1 replica cuts 4 pods to 1 at once; without metrics, an autoscaler whose minimum is 1 keeps that",
		Kind:  harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 1, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1").Decides("C13.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C13.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second).Decides("C13.kills"),
			verdict.Fact(afterwards, "1").Needing(cluster.NoMetrics),
		},
	}, {
		ID: "reapply-the-same-size-by-default",
		Claim: "applying a manifest that names as many replicas as there are keeps the size of 4, of which 3 are available during the rolling " +
			"update with the limits that Deployments have by themselves",
		Kind: harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 4, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "4").Decides("C14"),
			verdict.Scaling("v2:1", "v1:3", "v2:2").Decides("C14"),
			verdict.Fact("fewest available pods", "3").Counting(evidence.FewestAvailable).Decides("C14"), // no fewer, and no more
			verdict.MaxActive(5),
			verdict.Fact(afterwards, "4").Decides("C14").Needing(cluster.NoMetrics),
		},
	}, {
		ID: "reapply-the-same-size",
		Claim: "applying a manifest that names as many replicas as there are and allows none to be unavailable keeps them through the " +
			"rolling update, and without metrics after it",
		Kind: harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 4, version: "v2", keeps: true}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "4"),
			verdict.Scaling("v2:1", "v1:3", "v2:2", "v1:2"),
			verdict.MinAvailable(4),
			verdict.MaxActive(5),
			verdict.Fact(afterwards, "4").Needing(cluster.NoMetrics),
		},
	}}
}

func (r reapply) run(ctx context.Context, steps *harness.Steps) {
	clientSide(ctx, steps, manifest(steps, "v1", &r.replicas))
	scaled(ctx, steps, r.live)
	autoscaler := autoscaled(ctx, steps, r.least)
	below := r.replicas < r.least
	if below {
		lookedFirst(ctx, steps, autoscaler)
	}
	next := manifest(steps, r.version, &r.replicas)
	if r.keeps {
		next.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxUnavailable: new(intstr.FromInt32(0))}
	}
	reapplied(ctx, steps, clientSide, next, max(r.least, r.replicas))
	if below {
		noteMinimumMessage(ctx, steps, autoscaler)
	} else {
		noteSize(ctx, steps)
	}
}

// minimumMessage is a fact: the autoscaler's message about the first size that it set when it found fewer pods than its minimum.
const minimumMessage = "the autoscaler's word"

// noteMinimumMessage notes the autoscaler's message about finding fewer pods than its minimum.
func noteMinimumMessage(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object) {
	const below = "below Spec.MinReplicas"
	for _, said := range rescaleMessages(ctx, steps, autoscaler, below) {
		if strings.Contains(said, below) {
			steps.Note(minimumMessage, said)
			return
		}
	}
}

const afterwards = "replicas when the autoscaler has looked"

// noteSize notes the app's size after the autoscaler has looked once more.
func noteSize(ctx context.Context, steps *harness.Steps) {
	lookedAgain(ctx, steps)
	d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	steps.Note(afterwards, *d.Spec.Replicas)
}
