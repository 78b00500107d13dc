package switchover

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/poll"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// orphaned: what `kubectl delete --cascade=orphan` leaves, the next Deployment with that selector takes over, pods and ReplicaSet.
// A pod is known by its UID, and its container by never having been started again.
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
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			deployments, next := steps.Client.AppsV1().Deployments(steps.Namespace), app.Deployment(steps.Into, "v1")
			before, _ := podsAndSets(ctx, steps)
			orphan := metav1.DeletePropagationOrphan
			harness.Check(deployments.Delete(ctx, next.Name, metav1.DeleteOptions{PropagationPolicy: &orphan}))
			harness.Check(poll.Until(ctx, 50*time.Millisecond, func() (bool, error) {
				_, err := deployments.Get(ctx, next.Name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					return true, nil
				}
				return false, err
			}))
			next = harness.Must(deployments.Create(ctx, next, metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool {
				d := s.Deployments[next.Name]
				return d != nil && d.UID == next.UID && rollout.Complete(d)
			})
			after, sets := podsAndSets(ctx, steps)
			same, restarts := 0, 0
			for uid, n := range after {
				if _, was := before[uid]; was {
					same++
				}
				restarts += n
			}
			steps.Note(kept, fmt.Sprintf("%d of %d", same, len(after)))
			steps.Note(restarted, restarts)
			steps.Note(replicaSets, sets)
		},
		Expect: []evidence.Expectation{
			verdict.Fact(kept, "3 of 3"),
			verdict.Fact(restarted, "0"),
			verdict.Fact(replicaSets, "1"),
		},
	}
}

// podsAndSets are the pods that are there to stay, by UID, each with how often its container was started again, and how many
// ReplicaSets there are.
func podsAndSets(ctx context.Context, steps *harness.Steps) (restarts map[types.UID]int, sets int) {
	pods := harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).List(ctx, metav1.ListOptions{}))
	restarts = map[types.UID]int{}
	for _, p := range pods.Items {
		if p.DeletionTimestamp != nil || !steps.Ours(p.Name) {
			continue
		}
		restarts[p.UID] = 0
		for _, c := range p.Status.ContainerStatuses {
			restarts[p.UID] += int(c.RestartCount)
		}
	}
	list := harness.Must(steps.Client.AppsV1().ReplicaSets(steps.Namespace).List(ctx, metav1.ListOptions{}))
	return restarts, len(list.Items)
}
