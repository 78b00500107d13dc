package rollout

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// historyLimit: old ReplicaSets beyond the limit are deleted, oldest first, once a rollout is complete
// (Kubernetes v1.36.3, pkg/controller/deployment/sync.go, cleanupDeployment).
func historyLimit() harness.Scenario {
	const kept, revisions = 10, 12 // kept unless the Deployment says otherwise (pkg/apis/apps/v1/defaults.go)
	const undoing = "undo with a limit of 0"
	app := fixtures.App{Replicas: 0} // the history does not depend on pods
	return harness.Scenario{
		ID:      "history-limit",
		Profile: harness.Core,
		Claim:   "a Deployment keeps 10 old ReplicaSets, or as many as its limit says, and with a limit of 0 there is nothing to undo",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			for n := range revisions {
				revise(ctx, steps, func(d *appsv1.Deployment) {
					d.Spec.RevisionHistoryLimit = nil
					d.Spec.Template.Annotations = map[string]string{"edit": fmt.Sprint(n)}
				})
			}
			noteKept(ctx, steps, kept)
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(2)) })
			noteKept(ctx, steps, 2)
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(0)) })
			noteKept(ctx, steps, 0)
			if err := undo(ctx, steps); err != nil {
				steps.Note(undoing, err)
			}
			harness.Check(context.Cause(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("history with a limit of 10",
				"3 v1, 4 v1, 5 v1, 6 v1, 7 v1, 8 v1, 9 v1, 10 v1, 11 v1, 12 v1, 13 v1").Decides("C25"),
			verdict.Fact("history with a limit of 2", "11 v1, 12 v1, 13 v1").Decides("C25"),
			verdict.Fact("history with a limit of 0", "13 v1").Decides("C25"),
			verdict.Fact(undoing, `no rollout history found for deployment "echo"`).Decides("C25"),
		},
	}
}

// noteKept notes the history after the controller has cleaned it up, which it does after it has reported the rollout as complete.
func noteKept(ctx context.Context, steps *harness.Steps, limit int) {
	steady(ctx, limit+1, func() int { return len(steps.ReplicaSets(ctx)) })
	steps.Note(fmt.Sprintf("history with a limit of %d", limit), steps.History(ctx))
}
