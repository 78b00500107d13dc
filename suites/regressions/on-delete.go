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

// onDelete: when the last pod of a StatefulSet is replaced by hand, the update's revision becomes the current one. Releases before
// 1.37 do that only if the strategy is RollingUpdate, so they never do (Kubernetes v1.36.4,
// pkg/controller/statefulset/stateful_set_utils.go, completeRollingUpdate).
func onDelete() harness.Scenario {
	const current = "current revision once every pod is replaced"
	app := fixtures.App{Replicas: 2, MinReady: time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "on-delete",
		Claim: "a StatefulSet whose pods are replaced by hand has the updated revision as its current one when the last is replaced",
		App:   app,
		Bug: byFact(current, evidence.Bug{
			Issue: 136833, Component: controllerManager, Affected: []evidence.Releases{{Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			sets, pods := steps.Client.AppsV1().StatefulSets(steps.Namespace), steps.Client.CoreV1().Pods(steps.Namespace)
			set := app.StatefulSet(steps.Into, "v1")
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
			harness.Must(sets.Create(ctx, set, metav1.CreateOptions{}))
			update := rollout.UpdateStatefulSet("v1", "v2")
			steps.Until(ctx, func(s observe.State) bool { return update.Deployed(s, app) })
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
			for n := range int(app.Replicas) {
				harness.Check(pods.Delete(ctx, fmt.Sprintf("%s-%d", set.Name, n), metav1.DeleteOptions{}))
				steps.Until(ctx, func(s observe.State) bool { return s.Available("v2") == n+1 && !s.Leaving() })
			}
			// The controller writes the status at each change of a pod, and once more after MinReady; the rest is our own margin.
			done := steps.Within(ctx, app.MinReady+30*time.Second, func(s observe.State) bool {
				status := s.StatefulSets[set.Name].Status
				return status.CurrentRevision == status.UpdateRevision
			})
			steps.Note(current, map[bool]string{true: "the update's", false: "the one from before the update"}[done])
		}},
		Expect: []evidence.Expectation{verdict.Fact(current, "the update's")},
	}
}
