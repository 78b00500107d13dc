package regressions

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// setAvailable: a pod of a StatefulSet is available when it has been ready for minReadySeconds. Releases up to 1.35.0 look at the
// set again so long after its first pod became ready, find the next pod not available yet, and look again a whole minReadySeconds
// later (Kubernetes v1.35.0, pkg/controller/statefulset/stateful_set.go, sync; v1.35.1 looks when the next pod is due).
func setAvailable() harness.Scenario {
	const (
		available = "time from when the last pod got ready until it was counted as available"
		minReady  = 20 * time.Second
		apart     = 2 * time.Second // from when one pod is ready to the deletion of the next: more than a controller takes to look again
	)
	app := fixtures.App{Replicas: 2, MinReady: minReady, OnTerm: fixtures.Exit}
	return harness.Scenario{
		ID:    "set-available",
		Claim: "a StatefulSet counts each pod as available as soon as it has been ready for minReadySeconds",
		App:   app,
		Bug: shownBy(verdict.FactWithin(available, 0, 0), evidence.Bug{
			Issue: 135428, Component: controllerManager, Affected: []evidence.Releases{{Before: "1.35.1"}}, Fixed: "1.35.1",
		}),
		Kind: harness.InSteps{Lasts: 60 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			pods, set := steps.Client.CoreV1().Pods(steps.Namespace), app.StatefulSet(steps.Into, "v1")
			set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
			harness.Must(steps.Client.AppsV1().StatefulSets(steps.Namespace).Create(ctx, set, metav1.CreateOptions{}))
			counted := func(n int32) func(observe.State) bool {
				return func(s observe.State) bool {
					live := s.StatefulSets[set.Name]
					return live != nil && live.Status.AvailableReplicas == n
				}
			}
			steps.Until(ctx, counted(app.Replicas))
			deployed := rollout.UpdateStatefulSet("v1", "v2").Deployed
			for n := range int(app.Replicas) { // one after the other, so that they become ready at different times
				if n > 0 {
					steps.Pause(ctx, apart)
				}
				harness.Check(pods.Delete(ctx, fmt.Sprintf("%s-%d", set.Name, n), metav1.DeleteOptions{}))
				steps.Until(ctx, observe.State.Leaving)
				steps.Until(ctx, func(s observe.State) bool { return deployed(s, app) })
			}
			ready := time.Now()
			steps.Until(ctx, counted(app.Replicas))
			steps.Note(available, time.Since(ready))
		}},
		// The controller looks again when the pod is due by the time in its Ready condition (v1.37.2, pkg/controller/controller_utils.go,
		// nextPodAvailabilityCheck). That time is cut to whole seconds (metav1.Time), and the kubelet writes it before a watch sees the
		// pod ready: 3 s are for that. At the other end, 5 s are for a sync, a write and a watch, which take one or two.
		Expect: []evidence.Expectation{verdict.FactWithin(available, minReady-4*time.Second, minReady+5*time.Second)},
	}
}
