package statusgap

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// The migration's calls, as lanes.
const (
	naiveCalls  = "when-rollout-status-reports-success"
	pinnedCalls = "then-over-a-connection-from-before"
	safeCalls   = "when-no-old-pod-is-in-the-api"
)

// migrationCall: a job waits for the rollout and then calls the new version, repeatedly. When kubectl reports success it reaches
// old pods, and always does over a connection from before; when no old pod is in the API any more it never does. Seen: of 20 calls
// over new connections at kubectl's success 17 to 20 reached the old pod. The only new pod is ready, and the node at which the call
// arrives does not know it yet. Old pods serve until their sleep and drain are over, so that no call fails; a rollout whose status
// came later than that is repeated. A call also waits until a watch has seen the deletion of the old pod, which the controller asks
// for before it reports, so that the recording tells which pod answered.
func migrationCall() harness.Scenario {
	const rollouts, callsBehind = 5, 5
	app := fixtures.App{
		Replicas: 1, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		PreStopSleep: 2 * time.Second, Linger: time.Second, OnTerm: fixtures.Drain, // leaves time for the calls
	}
	return harness.Scenario{
		ID:      "migration-call",
		Profile: harness.Core,
		Claim: "a call right after rollout status succeeds may reach the old pod, which still sleeps; " +
			"a call after that pod has left the API does not",
		App: app,
		Kind: harness.InSteps{Outside: true, Lasts: 50 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			naive := steps.Requests(naiveCalls, evidence.Fresh, 2*time.Second)
			pinned := steps.Requests(pinnedCalls, evidence.Reused, 2*time.Second)
			safe := steps.Requests(safeCalls, evidence.Fresh, 2*time.Second)
			for n, left := 0, rollouts; left > 0; n++ {
				old, next := fmt.Sprintf("v%d", n%2+1), fmt.Sprintf("v%d", (n+1)%2+1)
				pinned.Open(ctx)
				update := rollout.Update(old, next)
				harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
				var deleted time.Time
				steps.Until(ctx, func(s observe.State) bool {
					if deleted.IsZero() && slices.ContainsFunc(s.Pods, func(p observe.PodState) bool { return p.Deleting }) {
						deleted = time.Now()
					}
					return !deleted.IsZero() && update.Settled(s, app)
				})
				// A kubelet does not wait for rollout status: calls at a time when the old pod's sleep may be over show nothing.
				if time.Since(deleted) < app.PreStopSleep/2 {
					naive.Send(ctx, 1)
					pinned.Send(ctx, 1)
					left--
				}
				steps.Until(ctx, func(s observe.State) bool { return s.Count(old) == 0 })
				safe.Send(ctx, callsBehind)
			}
		}},
		Expect: []evidence.Expectation{
			verdict.AnsweredByDeleted(naiveCalls, 1).Decides("C8"),
			verdict.AnsweredByDeleted(pinnedCalls, rollouts).Decides("C8"), // not those that opened the connections
			verdict.AllAnswered(naiveCalls),
			verdict.AllAnswered(pinnedCalls),
			verdict.NotAnsweredByDeleted(safeCalls).Decides("C8", "C5.after"),
			verdict.AllAnswered(safeCalls).Decides("C8", "C5.after"),
		},
	}
}
