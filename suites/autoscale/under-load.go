package autoscale

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
	"rollcall/loadgen"
)

// underLoad: what reapply-at-the-minimum asks, with an autoscaler that measures. Clients keep four pods as busy as
// they may get; the manifest that is applied says 1, as it did when they were few. The pod that is left serves all of
// them until the autoscaler has looked and three others have started: a fifth of its CPU limit is enough for that. Few
// requests make them busy, since what a request costs beyond its work is the machine's: 100 a second of 1 ms each kept a
// pod in the lab at its limit, where it failed its readiness probes, and an autoscaler counts no pod that is not ready.
func underLoad() harness.Scenario {
	const busy, requests = 4, 10
	app := fixtures.App{Replicas: 1, BurnCPU: 10 * time.Millisecond, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second,
		OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID: "under-load",
		Claim: "applying a manifest that names 1 replica leaves 1 of the 4 pods that an autoscaler arrived at under load, " +
			"until it has measured again",
		Covers:         []string{"C11", "C13"},
		App:            app,
		ClusterChanges: []cluster.Change{change.Metrics()},
		Lasts:          80 * time.Second,
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Expose(ctx, app); err != nil {
				return err
			}
			if _, err := clientSide(ctx, steps, app.Deployment(steps.Into, "v1")); err != nil {
				return err
			}
			if err := steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", app.Replicas) }); err != nil {
				return err
			}
			if err := steps.Reach(ctx); err != nil {
				return err
			}
			began := time.Now()
			clients := loadgen.StartBackground(steps.Outside, requests)
			defer clients.Stop()
			_, err := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace).Create(ctx,
				app.Autoscaler(steps.Namespace, app.Replicas, busy), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if err := steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", busy) }); err != nil {
				return err
			}
			steps.Note("from the autoscaler's creation to 4 pods", time.Since(began))
			if err := reapplied(ctx, steps, clientSide, app.Deployment(steps.Into, "v2"), busy); err != nil {
				return err
			}
			sent, failed := clients.Stop()
			steps.Note("requests", sent)
			steps.Note("requests that failed", failed)
			return nil
		},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1"),
			verdict.Decides("C11", verdict.Decides("C13", verdict.Fact("fewest available pods", "1"))),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, time.Minute),
			verdict.FactWithin("from the apply to the minimum again", 0, 2*time.Minute),
			verdict.Noted("requests that failed"),
		},
	}
}
