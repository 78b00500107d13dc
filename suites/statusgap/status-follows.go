package statusgap

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// statusFollows: rollout status is about a Deployment by its name, whatever somebody else does to it meanwhile. Whoever waits for
// v2, which never becomes ready, is told of success when v2 is undone. Only --revision notices (kubectl v0.37.2,
// pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer).
func statusFollows() harness.Scenario {
	const follows, asked = "rollout status once the update that it was to await is undone", "rollout status --revision=2 then"
	app := fixtures.App{Replicas: 1, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "status-follows",
		Claim: "rollout status reports success for an update that was undone while it waited, unless it is given the revision",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			never := app
			never.Tag = "none"
			harness.Check(rollout.Update("v1", "v2").Begin(ctx, steps.Client, steps.Into, never))
			var live *appsv1.Deployment
			steps.Until(ctx, func(s observe.State) bool {
				live = s.Deployments[app.ResourceName()]
				return s.Count("v2") == 1 && live.Status.ObservedGeneration >= live.Generation
			})
			harness.Check(rollout.Undo(steps.Client, live))
			back := rollout.Update("v2", "v1")
			steps.Until(ctx, func(s observe.State) bool { return back.Settled(s, app) && s.Count("v2") == 0 })
			steps.Until(ctx, func(s observe.State) bool {
				live = s.Deployments[app.ResourceName()]
				return rollout.Complete(live)
			})
			said, _, err := rollout.Status(live, 0)
			harness.Check(err)
			steps.Note(follows, strings.TrimSpace(said))
			_, _, err = rollout.Status(live, 2)
			steps.Note(asked, err)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(follows, `deployment "echo" successfully rolled out`),
			verdict.Fact(asked, "desired revision (2) is different from the running revision (3)"),
		},
	}
}
