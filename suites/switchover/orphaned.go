package switchover

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// orphaned: what `kubectl delete --cascade=orphan` leaves behind, pods and ReplicaSet, is adopted by the next Deployment with the
// same selector. Pods are identified by UID, and their containers must not have restarted.
func orphaned() harness.Scenario {
	const (
		kept        = "pods of before that serve on"
		restarted   = "times that their containers were started again"
		replicaSets = "ReplicaSets"
	)
	app := fixtures.App{Replicas: 3}
	return harness.Scenario{
		ID:    "orphaned",
		Claim: "deleting a Deployment without its pods and applying it again ends none of them, and restarts none",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			deployments, next := steps.Client.AppsV1().Deployments(steps.Namespace), app.Deployment(steps.Into, "v1")
			before := steps.StayingPods(ctx)
			harness.Check(deployments.Delete(ctx, next.Name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationOrphan)}))
			steps.Until(ctx, func(s observe.State) bool { return s.Deployments[next.Name] == nil })
			next = harness.Must(deployments.Create(ctx, next, metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool {
				d := s.Deployments[next.Name]
				return d != nil && d.UID == next.UID && rollout.Complete(d)
			})
			after := steps.StayingPods(ctx)
			steps.Note(kept, fmt.Sprintf("%d of %d", after.Intersection(before).Len(), after.Len()))
			steps.Note(restarted, restarts(ctx, steps))
			steps.Note(replicaSets, len(steps.ReplicaSets(ctx)))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(kept, "3 of 3"),
			verdict.Fact(restarted, "0"),
			verdict.Fact(replicaSets, "1"),
		},
	}
}

// restarts returns how often containers of the app's pods were restarted.
func restarts(ctx context.Context, steps *harness.Steps) (n int32) {
	for _, p := range steps.Pods(ctx) {
		for _, c := range p.Status.ContainerStatuses {
			n += c.RestartCount
		}
	}
	return n
}
