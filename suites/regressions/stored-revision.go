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
