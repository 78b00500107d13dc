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

// parallelSet: a broken rollout of a StatefulSet with parallel pod management is repaired by the next rollout. With maxUnavailable,
// on in 1.35.0 to 1.35.3 and behind a gate that is off in 1.36, pods of the broken revision count as missing and keep the
// controller from replacing them (Kubernetes v1.35.3, pkg/controller/statefulset/stateful_set_control.go,
// updateStatefulSetAfterInvariantEstablished). With OrderedReady no version repairs it, by design.
func parallelSet() harness.Scenario {
	const (
		mended = "pods of the mended revision after 60 s"
		limit  = time.Minute // our own choice: 3 pods are replaced one after the other in 10 s here
	)
	app := fixtures.App{Replicas: 3, MinReady: time.Second, OnTerm: fixtures.Drain}
	broken := app
	broken.ReadyDelay = time.Hour
	return harness.Scenario{
		ID:    "parallel-set",
		Claim: "a StatefulSet whose pods are managed in parallel recovers from a revision that never gets ready when the next one is good",
		App:   app,
		Bug: byFact(mended, evidence.Bug{
			Issue: 137409, Component: controllerManager,
			Affected: []evidence.Releases{{Since: "1.35.0", Before: "1.35.4"},
				{Since: "1.35.4", Before: "1.37.0", Setting: severalMissing().String()}},
			Fixed: "1.37.0",
		}),
		Kind: harness.InSteps{Lasts: 45 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			sets := steps.Client.AppsV1().StatefulSets(steps.Namespace)
			set := app.StatefulSet(steps.Into, "v1")
			set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
			harness.Must(sets.Create(ctx, set, metav1.CreateOptions{}))
			update := rollout.UpdateStatefulSet("v1", "v2")
			steps.Until(ctx, func(s observe.State) bool { return update.Deployed(s, app) })
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, broken))
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v2") > 0 && !s.Leaving() })
			good := harness.Must(rollout.Edit(ctx, sets, set.Name, func(live *appsv1.StatefulSet) {
				live.Spec.Template = app.StatefulSet(steps.Into, "v2").Spec.Template
			}))
			var status appsv1.StatefulSetStatus
			steps.Within(ctx, limit, func(s observe.State) bool {
				status = s.StatefulSets[set.Name].Status
				return status.ObservedGeneration >= good.Generation && status.UpdatedReplicas == app.Replicas &&
					status.AvailableReplicas == app.Replicas
			})
			steps.Note(mended, fmt.Sprintf("%d of %d", min(status.UpdatedReplicas, status.AvailableReplicas), app.Replicas))
		}},
		Expect: []evidence.Expectation{verdict.Fact(mended, "3 of 3")},
	}
}
