package statusgap

import (
	"context"
	"fmt"
	"net/http"
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
	safeCalls   = "calls by which an old pod was reached after the barrier"
)

// migrationCall: a job that waits for the rollout and then calls the new version, over and over. By kubectl's word it
// reaches old pods, and always over a connection that it had before; behind the barrier it never does. Seen: of 20 calls
// by kubectl's word over new connections 20 reached the old pod in iptables mode. The one new pod is ready, and the node
// that the call comes in by does not know it yet.
func migrationCall() harness.Scenario {
	const rollouts, callsBehind = 20, 5
	app := fixtures.App{
		Replicas: 1, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		PreStopSleep: 2 * time.Second, Linger: time.Second, OnTerm: fixtures.Drain, // time for the calls
	}
	return harness.Scenario{
		ID:       "migration-call",
		Profile:  harness.Core,
		Claim:    "a call made when rollout status reports success may reach an old pod, and one made when no node's rules route to one does not",
		Covers:   []string{"C5", "C8"},
		App:      app,
		Observed: true,
		Lasts:    100 * time.Second,
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			if err := steps.Reach(ctx); err != nil {
				return err
			}
			fresh := loadgen.FreshClient(2 * time.Second)
			naive, pinned, safe, failed := 0, 0, 0, 0
			for n := range rollouts {
				old, next := fmt.Sprintf("v%d", n%2+1), fmt.Sprintf("v%d", (n+1)%2+1)
				transport := &http.Transport{}
				kept := &http.Client{Timeout: 2 * time.Second, Transport: transport}
				call := func(client *http.Client, reached *int) error {
					by, err := loadgen.Ask(ctx, client, steps.Outside)
					if by.Version == old {
						*reached++
					}
					return err
				}
				if err := call(kept, new(int)); err != nil {
					return err
				}
				update := rollout.Update(old, next)
				if err := update.Begin(ctx, steps.Client, steps.Into, app); err != nil {
					return err
				}
				if err := steps.Until(ctx, func(s observe.State) bool { return update.Settled(s, app) }); err != nil {
					return err
				}
				if err := call(fresh, &naive); err != nil {
					failed++
				}
				if err := call(kept, &pinned); err != nil {
					return err
				}
				if err := steps.Until(ctx, func(s observe.State) bool { return update.Over(s, app) }); err != nil {
					return err
				}
				for range callsBehind {
					if err := call(fresh, &safe); err != nil {
						return err
					}
				}
				transport.CloseIdleConnections()
			}
			steps.Note(naiveCalls, fmt.Sprintf("%d of %d", naive, rollouts))
			steps.Note(failedCalls, fmt.Sprintf("%d of %d", failed, rollouts))
			steps.Note(pinnedCalls, fmt.Sprintf("%d of %d", pinned, rollouts))
			steps.Note(safeCalls, fmt.Sprintf("%d of %d", safe, rollouts*callsBehind))
			return nil
		},
		Expect: []evidence.Expectation{
			verdict.Noted(naiveCalls),
			verdict.Noted(failedCalls),
			verdict.Decides("C8", verdict.Fact(pinnedCalls, "20 of 20")),
			verdict.Decides("C5", verdict.Decides("C8", verdict.Fact(safeCalls, "0 of 100"))),
		},
	}
}
