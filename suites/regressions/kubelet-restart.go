package regressions

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// kubeletRestart: a kubelet that restarts does not know the results of its probes. Before 1.35 it counts each pod as not ready
// until its first probe, which it delays by a random part of the probe's period (Kubernetes v1.34.2, pkg/kubelet/prober/worker.go,
// doProbe; since v1.35.0 a container that was started more than 10 s before the kubelet keeps its state from the API). At least one
// of three pods is shown as not ready then: the chance that all are probed in the first 4 of 30 s is 0.2 %.
func kubeletRestart() harness.Scenario {
	const (
		unready = "pods shown as not ready after their kubelet was started again"
		lost    = "requests after the kubelet was started again that were answered"
		older   = 12 * time.Second // more than the 10 s of worker.go
		// A kubelet reports a pod when it handles it next, so the pods are touched repeatedly, beginning before it is back after 2 to 4
		// s.
		touches, between = 7, 2 * time.Second
	)
	app := fixtures.App{Replicas: 3, ProbePeriod: 30 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:        "kubelet-restart",
		Claim:     "pods that are ready stay so, and serve, while their kubelet is started again",
		App:       app,
		Exclusive: true,
		Uses:      []string{cluster.ClusterChanges},
		Bug: byFact(unready, evidence.Bug{
			Issue: 100277, Component: kubelet,
			Affected: []evidence.Releases{{Before: "1.35.0"}}, Fixed: "1.35.0",
		}),
		Kind: harness.InSteps{Lasts: 55 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			workers := steps.Workers(ctx)
			on := app
			on.Nodes = workers[:1]
			steps.Deploy(ctx, on, "v1")
			service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{}))
			client := steps.RequestFrom(ctx, workers[len(workers)-1], fixtures.HTTPURL(service))
			steps.Pause(ctx, older)
			begun := time.Now()
			var restart errgroup.Group
			restart.Go(func() error { return change.RestartKubelet(ctx, ours, on.Nodes[0]) })
			steps.Cleanup(func(context.Context) error { return restart.Wait() })
			shown := map[string]bool{}
			for n := range touches {
				touchPods(ctx, steps, n)
				steps.Within(ctx, between, func(s observe.State) bool {
					for _, p := range s.Pods {
						if !p.Ready {
							shown[p.Pod] = true
						}
					}
					return false
				})
			}
			harness.Check(restart.Wait())
			steps.Note(unready, fmt.Sprintf("%d of %d", len(shown), app.Replicas))
			steps.Note(lost, tally(since(client.Requests(ctx), begun), harness.Good))
		}},
		Expect: []evidence.Expectation{verdict.Fact(unready, "0 of 3"), verdict.Fact(lost, all).ByClients()},
	}
}

// touchPods annotates the app's pods with a number: a kubelet handles a pod that changes.
func touchPods(ctx context.Context, steps *harness.Steps, n int) {
	pods := steps.Client.CoreV1().Pods(steps.Namespace)
	for _, pod := range steps.Pods(ctx) {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"rollcall.local/touched":"%d"}}}`, n)
		harness.Must(pods.Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}))
	}
}
