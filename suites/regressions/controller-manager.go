package regressions

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
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

// storedRevision: an upgrade of the control plane replaces no pod. Controller managers up to 1.33 stored a StatefulSet's template
// with "creationTimestamp":null and later ones do not; 1.34.0 and 1.34.1 compare the bytes, take the stored template for another
// one and roll out every StatefulSet (Kubernetes v1.34.0, pkg/controller/history/controller_history.go, EqualRevision; since
// v1.34.2 stateful_set_control.go compares what the bytes mean). The steps write the stored revision as 1.33 left it, while no
// controller manager runs.
func storedRevision() harness.Scenario {
	const (
		revisions = "revisions of the StatefulSet once the controller manager runs again"
		replaced  = "pods that were replaced"
		watched   = 20 * time.Second // here a controller manager has looked at every StatefulSet 2 s after it leads
	)
	app := fixtures.App{Replicas: 3, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:        "stored-revision",
		Claim:     "a StatefulSet whose revision an older release stored is not rolled out by the controller manager of the next",
		App:       app,
		Exclusive: true,
		Uses:      []string{cluster.ClusterChanges},
		Bug: byFact(revisions, evidence.Bug{
			Issue: 134773, Component: controllerManager,
			Affected: []evidence.Releases{{Since: "1.34.0", Before: "1.34.2"}, {Since: "1.34.2", Setting: bytesCompared().String()}},
			Fixed:    "1.34.2",
		}),
		Kind: harness.InSteps{Lasts: 60 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			sets := steps.Client.AppsV1().StatefulSets(steps.Namespace)
			set := harness.Must(sets.Create(ctx, app.StatefulSet(steps.Into, "v1"), metav1.CreateOptions{}))
			update := rollout.UpdateStatefulSet("v1", "v2")
			steps.Until(ctx, func(s observe.State) bool { return update.Deployed(s, app) })
			before := steps.StayingPods(ctx)
			storeAsOlder(ctx, steps, ours, set)
			steps.Pause(ctx, watched)
			gone := before.Difference(steps.StayingPods(ctx))
			steps.Note(revisions, len(revisionsOf(ctx, steps, set)))
			steps.Note(replaced, fmt.Sprintf("%d of %d", gone.Len(), before.Len()))
		}},
		Expect: []evidence.Expectation{verdict.Fact(revisions, "1"), verdict.Fact(replaced, "0 of 3")},
	}
}

// storeAsOlder replaces the only revision of a StatefulSet by one of the same name as controller managers up to 1.33 stored it,
// while no controller manager runs.
func storeAsOlder(ctx context.Context, steps *harness.Steps, ours cluster.Changeable, set *appsv1.StatefulSet) {
	start, err := change.StopControllerManager(ctx, ours)
	started := sync.OnceValue(func() error { return start(context.WithoutCancel(ctx)) })
	steps.Cleanup(func(context.Context) error { return started() })
	harness.Check(err)
	stored := revisionsOf(ctx, steps, set)
	if len(stored) != 1 {
		harness.Check(fmt.Errorf("%d revisions of a new StatefulSet, want 1", len(stored)))
	}
	revision := stored[0]
	var data map[string]any
	harness.Check(json.Unmarshal(revision.Data.Raw, &data))
	spec, _ := data["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	meta, ok := template["metadata"].(map[string]any)
	if !ok {
		harness.Check(fmt.Errorf("revision %s stores no template's metadata", revision.Name))
	}
	meta["creationTimestamp"] = nil
	revision.Data.Raw = harness.Must(json.Marshal(data))
	revisions := steps.Client.AppsV1().ControllerRevisions(steps.Namespace)
	harness.Check(revisions.Delete(ctx, revision.Name, metav1.DeleteOptions{})) // the data of a revision cannot be changed
	revision.UID, revision.ResourceVersion, revision.CreationTimestamp = "", "", metav1.Time{}
	harness.Must(revisions.Create(ctx, &revision, metav1.CreateOptions{}))
	harness.Check(started())
}

// revisionsOf returns the revisions that a StatefulSet owns.
func revisionsOf(ctx context.Context, steps *harness.Steps, set *appsv1.StatefulSet) []appsv1.ControllerRevision {
	list := harness.Must(steps.Client.AppsV1().ControllerRevisions(steps.Namespace).List(ctx, metav1.ListOptions{}))
	var own []appsv1.ControllerRevision
	for _, revision := range list.Items {
		if owner := metav1.GetControllerOf(&revision); owner != nil && owner.UID == set.UID {
			own = append(own, revision)
		}
	}
	return own
}

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
