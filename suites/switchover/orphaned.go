package switchover

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/poll"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// orphaned: what `kubectl delete --cascade=orphan` leaves, the next Deployment with that selector takes over.
func orphaned() harness.Scenario {
	const kept = "pods of before that serve on"
	app := fixtures.App{Replicas: 3}
	return harness.Scenario{
		ID:     "orphaned",
		Claim:  "deleting a Deployment without its pods and applying it again ends none of them",
		Covers: []string{"C30"},
		App:    app,
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			deployments, next := steps.Client.AppsV1().Deployments(steps.Namespace), app.Deployment(steps.Into, "v1")
			before := map[string]bool{}
			if err := steps.Until(ctx, func(s observe.State) bool { note(before, s); return true }); err != nil {
				return err
			}
			orphan := metav1.DeletePropagationOrphan
			if err := deployments.Delete(ctx, next.Name, metav1.DeleteOptions{PropagationPolicy: &orphan}); err != nil {
				return err
			}
			err := poll.Until(ctx, 50*time.Millisecond, func() (bool, error) {
				_, err := deployments.Get(ctx, next.Name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					return true, nil
				}
				return false, err
			})
			if err != nil {
				return err
			}
			if next, err = deployments.Create(ctx, next, metav1.CreateOptions{}); err != nil {
				return err
			}
			after := map[string]bool{}
			err = steps.Until(ctx, func(s observe.State) bool {
				d := s.Deployments[next.Name]
				if d == nil || d.UID != next.UID || !rollout.Complete(d) {
					return false
				}
				note(after, s)
				return true
			})
			same := 0
			for name := range after {
				if before[name] {
					same++
				}
			}
			steps.Note(kept, same)
			return err
		},
		Expect: []evidence.Expectation{verdict.Decides("C30", verdict.Fact(kept, "3"))},
	}
}

// note adds the names of the pods that are there to stay.
func note(names map[string]bool, s observe.State) {
	for _, p := range s.Pods {
		if !p.Deleting {
			names[p.Pod] = true
		}
	}
}
