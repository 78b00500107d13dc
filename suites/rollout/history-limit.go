package rollout

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// historyLimit: old ReplicaSets beyond the limit are deleted, oldest first, once a rollout is complete
// (Kubernetes v1.36.3, pkg/controller/deployment/sync.go, cleanupDeployment).
func historyLimit() harness.Scenario {
	app := fixtures.App{Replicas: 1}
	return harness.Scenario{
		ID:      "history-limit",
		Profile: harness.Core,
		Claim:   "a Deployment keeps as many old ReplicaSets as its limit says, and with a limit of 0 there is nothing to undo",
		Covers:  []string{"C25"},
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			for n := range 5 {
				err := revise(ctx, steps, func(d *appsv1.Deployment) {
					d.Spec.RevisionHistoryLimit = new(int32(2))
					d.Spec.Template.Annotations = map[string]string{"edit": fmt.Sprint(n)}
				})
				if err != nil {
					return err
				}
			}
			if err := noteKept(ctx, steps, 2); err != nil {
				return err
			}
			if err := revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(0)) }); err != nil {
				return err
			}
			return noteKept(ctx, steps, 0)
		},
		Expect: []evidence.Expectation{
			verdict.Decides("C25", verdict.Fact("history with a limit of 2", "4 v1, 5 v1, 6 v1")),
			verdict.Decides("C25", verdict.Fact("history with a limit of 0", "6 v1")),
		},
	}
}

// noteKept notes the history when the controller is done with it: it cleans up after it has said that the
// rollout is complete.
func noteKept(ctx context.Context, steps *harness.Steps, limit int) error {
	_, err := steady(ctx, limit+1, func() (int, error) {
		sets, err := replicaSets(ctx, steps)
		return len(sets), err
	})
	if err != nil {
		return err
	}
	return noteHistory(ctx, steps, fmt.Sprintf("with a limit of %d", limit))
}
