package statusgap

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
	"rollcall/loadgen"
)

// Names of the facts that the migration's calls leave.
const (
	naiveCalls  = "calls by which an old pod was reached when rollout status reported success"
	failedCalls = "calls that failed when rollout status reported success"
	pinnedCalls = "such calls over a connection that was open from before"
	safeCalls   = "calls by which an old pod was reached when none was in the API any more"
	lostCalls   = "calls that failed when no old pod was in the API any more"
)

// migrationCall: a job that waits for the rollout and then calls the new version, over and over. By kubectl's word it
// reaches old pods, and always over a connection that it had before; when no old pod is in the API any more it never does. Seen:
// of 20 calls by kubectl's word over new connections 17 to 20 reached the old pod. The one new pod is ready, and the node that
// the call comes in by does not know it yet. Old pods serve until their sleep and drain are over, so that no call fails; a rollout
// whose status came later than that is made once more.
func migrationCall() harness.Scenario {
	const rollouts, callsBehind = 20, 5
	app := fixtures.App{
		Replicas: 1, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		PreStopSleep: 2 * time.Second, Linger: time.Second, OnTerm: fixtures.Drain, // time for the calls
	}
	return harness.Scenario{
		ID:      "migration-call",
		Profile: harness.Core,
		Claim: "a call made when rollout status reports success, and the old pod still sleeps, may reach it, " +
			"and one made when none is in the API any more does not",
		App:     app,
		Outside: true,
		Lasts:   100 * time.Second,
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			fresh := loadgen.FreshClient(2 * time.Second)
			naive, pinned, safe, failed, lost := 0, 0, 0, 0, 0
			for n, left := 0, rollouts; left > 0; n++ {
				old, next := fmt.Sprintf("v%d", n%2+1), fmt.Sprintf("v%d", (n+1)%2+1)
				transport := &http.Transport{}
				kept := &http.Client{Timeout: 2 * time.Second, Transport: transport}
				call := func(client *http.Client, reached, failed *int) {
					by, err := loadgen.Ask(ctx, client, steps.Outside)
					switch {
					case err != nil:
						*failed++
					case by.Version == old:
						*reached++
					}
				}
				harness.Must(loadgen.Ask(ctx, kept, steps.Outside))
				update := rollout.Update(old, next)
				harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
				var deleted time.Time
				steps.Until(ctx, func(s observe.State) bool {
					if deleted.IsZero() && slices.ContainsFunc(s.Pods, func(p observe.PodState) bool { return p.Deleting }) {
						deleted = time.Now()
					}
					return update.Settled(s, app)
				})
				// A kubelet does not wait for rollout status: calls that would come when an old pod may have slept say nothing.
				if deleted.IsZero() || time.Since(deleted) < app.PreStopSleep/2 {
					call(fresh, &naive, &failed)
					call(kept, &pinned, &failed)
					left--
				}
				steps.Until(ctx, func(s observe.State) bool { return s.Count(old) == 0 })
				for range callsBehind {
					call(fresh, &safe, &lost)
				}
				transport.CloseIdleConnections()
				harness.Check(ctx.Err())
			}
			steps.Note(naiveCalls, fmt.Sprintf("%d of %d", naive, rollouts))
			steps.Note(failedCalls, fmt.Sprintf("%d of %d", failed, 2*rollouts))
			steps.Note(pinnedCalls, fmt.Sprintf("%d of %d", pinned, rollouts))
			steps.Note(safeCalls, fmt.Sprintf("%d of %d", safe, rollouts*callsBehind))
			steps.Note(lostCalls, fmt.Sprintf("%d of %d", lost, rollouts*callsBehind))
		},
		Expect: []evidence.Expectation{
			verdict.FactAtLeast(naiveCalls, 1).ByClients().Decides("C8"),
			verdict.Fact(pinnedCalls, "20 of 20").ByClients().Decides("C8"),
			verdict.Fact(failedCalls, "0 of 40"),
			verdict.Fact(safeCalls, "0 of 100").ByClients().Decides("C8", "C5.after"),
			verdict.Fact(lostCalls, "0 of 100").ByClients().Decides("C8", "C5.after"),
		},
	}
}
