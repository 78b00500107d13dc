package dataplane

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
	"rollcall/loadgen"
)

// Names of the facts.
const (
	early      = "requests that failed after every node's rules routed to the new Service's pods"
	untilReply = "from the Service's creation to the first reply from outside"
)

// firstConnection: rules that route to a pod are no sign that connections from outside get there: what they need beside,
// such as masquerading, a node may write later in the same sync. A reply is the sign.
func firstConnection() harness.Scenario {
	app := fixtures.App{Replicas: 2, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:       "first-connection",
		Profile:  harness.Core,
		Claim:    "a Service that was just created is reached from outside within 10 s, as soon as every node's rules route to its pods or later",
		App:      app,
		Observed: true,
		Steps: func(ctx context.Context, steps *harness.Steps) {
			harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, app.Deployment(steps.Into, "v1"),
				metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == int(app.Replicas) })
			created := time.Now()
			steps.Expose(ctx, app)
			steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			client := loadgen.FreshClient(time.Second)
			failed := 0
			for {
				if by, err := loadgen.Ask(ctx, client, steps.Outside); err == nil && steps.Ours(by.Pod) {
					break
				}
				failed++
				steps.Pause(ctx, 100*time.Millisecond)
			}
			steps.Note(untilReply, time.Since(created))
			steps.Note(early, failed)
		},
		Expect: []evidence.Expectation{
			verdict.FactWithin(untilReply, 0, 10*time.Second).ByClients(),
			verdict.Noted(early),
		},
	}
}
