package rollout

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// terminatingUncounted: no limit counts terminating pods. With a drain longer than the rollout they are all still there at its end,
// and use their resources. With a sleep of 60 s the rollout was reported as done after 1.9 s (13 s on a busy machine), with 4 new
// pods and 4 old ones. Since Kubernetes 1.35 the Deployment's status counts the old ones (KEP-3973, v1.37.2,
// pkg/features/kube_features.go: alpha and off in 1.33 and 1.34), and kubectl rollout status ignores that.
func terminatingUncounted() harness.Scenario {
	app := fixtures.App{Replicas: 4, MinReady: time.Second, PreStopSleep: time.Minute, Grace: 90 * time.Second}
	return harness.Scenario{
		ID:    "terminating-uncounted",
		Claim: "a rollout of 4 pods that never asks for more than 5 has 8 running at its end, as terminating ones do not count",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Mark(evidence.RolloutBegun)
			begun, update := time.Now(), rollout.Update("v1", "v2")
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
			var pods []observe.PodState
			steps.Until(ctx, func(s observe.State) bool {
				pods = s.Pods
				return update.Settled(s, app) && s.Available("v1") == 0 // seen by another watch
			})
			steps.Mark(evidence.StatusDone)
			terminating := 0
			for _, p := range pods {
				if p.Deleting {
					terminating++
				}
			}
			steps.Note("time until the rollout is said to be done", time.Since(begun))
			steps.Note("pods when the rollout is said to be done", len(pods))
			steps.Note("of these terminating", terminating)
			steps.Note("terminating ones in the Deployment's status", steady(ctx, terminating, func() int { // the status is written later
				d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
				return int(ptr.Deref(d.Status.TerminatingReplicas, 0))
			}))
		}},
		Expect: []evidence.Expectation{
			verdict.MaxActive(5),
			verdict.FactWithin("time until the rollout is said to be done", 0, app.PreStopSleep),
			verdict.Fact("pods when the rollout is said to be done", "8"),
			verdict.Fact("of these terminating", "4").Decides("C1"),
			verdict.Fact("terminating ones in the Deployment's status", "4").Since("1.35"),
		},
	}
}
