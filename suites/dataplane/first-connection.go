package dataplane

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// untilAnswered is the lane that sends requests until there is a reply, once every node's rules route to the new Service's pods.
const untilAnswered = "until-the-first-reply"

// firstConnection: rules that route to a pod do not prove that connections from outside get there, since a node may write what
// these need besides, such as masquerading, later in the same sync. A reply proves it.
func firstConnection() harness.Scenario {
	app := fixtures.App{Replicas: 2, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:      "first-connection",
		Profile: harness.Core,
		Claim:   "a new Service answers a client outside the cluster within 10 s of its creation",
		App:     app,
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, app.Deployment(steps.Into, "v1"),
				metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == int(app.Replicas) })
			steps.Mark(evidence.RolloutBegun) // the Service's creation
			steps.Expose(ctx, app)
			steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			for first := steps.Requests(untilAnswered, evidence.Fresh, time.Second); ; steps.Pause(ctx, 100*time.Millisecond) {
				if hit := first.Send(ctx, 1); !hit.Failed() {
					break
				}
			}
		}},
		Expect: []evidence.Expectation{
			verdict.AnsweredWithin(untilAnswered, 10*time.Second, evidence.RolloutBegun),
		},
	}
}
