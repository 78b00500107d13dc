package rollout

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// rollback goes back with the old manifest, and then forward again as `kubectl rollout undo` does. The controller looks for a
// ReplicaSet with the wanted template before it makes one (Kubernetes v1.36.3, pkg/controller/deployment/sync.go,
// getNewReplicaSet).
func rollback() harness.Scenario {
	const reused = "the pods of v1 are again of the ReplicaSet, by UID, that they were of at first"
	app := fixtures.App{Replicas: 2}
	return harness.Scenario{
		ID:      "rollback",
		Profile: harness.Core,
		Claim:   "going back to a version reuses its ReplicaSet under the next revision, whether by manifest or by undo",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Note("history at first", steps.History(ctx))
			first := steps.ReplicaSets(ctx)
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			steps.Note("history after v2", steps.History(ctx))
			revise(ctx, steps, to(steps, app, "v1"))
			steps.Note("history after v1 again", steps.History(ctx))
			again := steps.ReplicaSets(ctx)
			steps.Note(reused, slices.ContainsFunc(again, func(rs appsv1.ReplicaSet) bool {
				return rs.UID == first[0].UID && *rs.Spec.Replicas == app.Replicas
			}))
			harness.Check(undo(ctx, steps))
			steps.Note("history after the undo", steps.History(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("history at first", "1 v1"),
			verdict.Fact("history after v2", "1 v1, 2 v2").Decides("C23"),
			verdict.Fact("history after v1 again", "2 v2, 3 v1 that was 1").Decides("C23"),
			verdict.Fact(reused, "true").Decides("C23"),
			verdict.Fact("history after the undo", "3 v1 that was 1, 4 v2 that was 2").Decides("C23"),
		},
	}
}

// undo goes back to the previous revision. The error is kubectl's, for example that there is none.
func undo(ctx context.Context, steps *harness.Steps) error {
	deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
	if err := rollout.Undo(steps.Client, harness.Must(deployments.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))); err != nil {
		return err
	}
	steps.Until(ctx, completed(harness.Must(deployments.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))))
	return nil
}
