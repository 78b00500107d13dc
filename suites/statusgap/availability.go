package statusgap

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// untilDone is a fact: how long after the last new pod got ready kubectl says that the rollout is done.
const untilDone = "from the last pod's readiness until rollout status reports success"

// availability: rollout status waits until every new pod is available, which is ready for minReadySeconds. The API
// tells of the readiness in whole seconds, so that up to one of them is missing, and of both in its own time.
func availability() []harness.Scenario {
	const margin, slack = 2 * time.Second, 3 * time.Second
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		minReady  time.Duration
	}{
		{"availability-at-once", "rollout status reports success as soon as the last new pod is ready", 0},
		{"availability-after-min-ready", "with minReadySeconds of 10 rollout status reports success 10 s after the last new pod is ready",
			10 * time.Second},
	} {
		app := fixtures.App{Replicas: 2, MaxSurge: new(intstr.FromInt32(2)), MaxUnavailable: new(intstr.FromInt32(0)), MinReady: row.minReady,
			OnTerm: fixtures.Drain}
		scenarios = append(scenarios, harness.Scenario{ID: row.id, Claim: row.claim, Covers: []string{"C4"}, App: app,
			Steps: func(ctx context.Context, steps *harness.Steps) error {
				if err := steps.Deploy(ctx, app, "v1"); err != nil {
					return err
				}
				update := rollout.Update("v1", "v2")
				if err := update.Begin(ctx, steps.Client, steps.Into, app); err != nil {
					return err
				}
				var ready time.Time
				err := steps.Until(ctx, func(s observe.State) bool {
					if ready.IsZero() && s.Available("v2") == int(app.Replicas) {
						ready = time.Now()
					}
					return update.Settled(s, app) && !ready.IsZero() // which is seen apart
				})
				if err != nil {
					return err
				}
				steps.Note(untilDone, time.Since(ready))
				return steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 }) // and its log is whole
			},
			Expect: []evidence.Expectation{verdict.Decides("C4", verdict.FactWithin(untilDone, max(0, row.minReady-margin), row.minReady+slack))},
		})
	}
	return scenarios
}
