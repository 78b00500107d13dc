package switchover

import (
	"context"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// deleteAndApplyHistory: the ReplicaSets are the Deployment's history, and are deleted with it. The next Deployment begins at
// revision 1.
func deleteAndApplyHistory() harness.Scenario {
	const before, after = "history before", "history after"
	app := fixtures.App{Replicas: 1, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "delete-and-apply-history",
		Claim: "deleting a Deployment and applying the next one loses its history, which begins again at revision 1",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			steps.Note(before, steps.History(ctx))
			again := rollout.DeleteAndApply("v2", "v1")
			harness.Check(again.Begin(ctx, steps.Client, steps.Into, app))
			steps.Until(ctx, func(s observe.State) bool { return again.Settled(s, app) && s.Count("v2") == 0 })
			since := time.Now()
			harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
				return len(steps.ReplicaSets(ctx)) == 1 || time.Since(since) > collected, nil
			}))
			steps.Note(after, steps.History(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(before, "1 v1, 2 v2"),
			verdict.Fact(after, "1 v1"),
		},
	}
}

// collected is longer than the garbage collector takes for a ReplicaSet whose Deployment is gone. Our own choice.
const collected = 15 * time.Second
