package rollout

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// patchPod applies a merge patch to a pod.
func patchPod(ctx context.Context, steps *harness.Steps, name, patch string) {
	harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}))
}

// scaledInByCost: of pods that are all ready, a ReplicaSet deletes those of the least deletion cost first, and else the newest (Kubernetes
// v1.37, pkg/controller/controller_utils.go, ActivePodsWithRanks.Less; the annotation is beta since 1.22). The two old pods that are dear
// stay beside two cheap ones; when the two pods that come next are dearer, these stay, though they are the newest.
func scaledInByCost() harness.Scenario {
	const first, next = "dear pods that stay of 2", "dearer pods that stay of 2, which are the newest"
	return harness.Scenario{
		ID:    "scaled-in-by-cost",
		Claim: "scaling from 4 pods to 2 deletes those of the least deletion cost, whichever are the oldest",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, fixtures.App{Replicas: 4}, "v1")
			all := names(steps.Pods(ctx))
			dear := all[:2]
			scaledInto(ctx, steps, dear, 100)
			steps.Note(first, staying(ctx, steps, dear))
			steps.Scale(ctx, fixtures.DefaultName, 4)
			steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == 4 && len(s.Pods) == 4 })
			dearer := slices.DeleteFunc(names(steps.Pods(ctx)), func(name string) bool { return slices.Contains(dear, name) })
			scaledInto(ctx, steps, dearer, 200)
			steps.Note(next, staying(ctx, steps, dearer))
		}},
		Expect: []evidence.Expectation{verdict.Fact(first, "2"), verdict.Fact(next, "2")},
	}
}

// scaledInto gives pods a deletion cost, and returns when the Deployment has 2 pods.
func scaledInto(ctx context.Context, steps *harness.Steps, dear []string, cost int) {
	for _, name := range dear {
		patchPod(ctx, steps, name, fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, corev1.PodDeletionCost, cost))
	}
	steps.Scale(ctx, fixtures.DefaultName, 2)
	steps.Until(ctx, func(s observe.State) bool { return len(s.Pods) == 2 })
}

func names(pods []corev1.Pod) (all []string) {
	for _, p := range pods {
		all = append(all, p.Name)
	}
	return all
}

// staying counts those of some pods that are still there.
func staying(ctx context.Context, steps *harness.Steps, some []string) (n int) {
	for _, name := range names(steps.Pods(ctx)) {
		if slices.Contains(some, name) {
			n++
		}
	}
	return n
}

// takenOut: a pod whose labels its ReplicaSet's selector does not match any more belongs to nobody, and is replaced; its endpoint leaves
// the Service as it is, without the states of an end (Kubernetes v1.37, pkg/controller/controller_ref_manager.go, ReleasePod).
func takenOut() harness.Scenario {
	const runs, owner, replaced = "the pod runs on", "its controller", "pods behind the Service without it"
	return harness.Scenario{
		ID:    "taken-out-by-label",
		Claim: "changing a pod's label takes it out of its Service and its Deployment, which replaces it, and the pod runs on",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, fixtures.App{Replicas: 2}, "v1")
			pod := steps.Pods(ctx)[0]
			patchPod(ctx, steps, pod.Name, fmt.Sprintf(`{"metadata":{"labels":{%q:"taken-out"}}}`, fixtures.NameLabel))
			behind := 0
			steps.Until(ctx, func(s observe.State) bool {
				behind = len(s.Endpoints)
				out := !slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return e.Pod == pod.Name })
				ready := !slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return !e.Ready })
				return out && ready && behind == 2
			})
			now := harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).Get(ctx, pod.Name, metav1.GetOptions{}))
			steps.Note(runs, now.DeletionTimestamp == nil && observe.Ready(now))
			steps.Note(owner, controllerOf(now))
			steps.Note(replaced, behind)
		}},
		Expect: []evidence.Expectation{verdict.Fact(runs, "true"), verdict.Fact(owner, "none"), verdict.Fact(replaced, "2")},
	}
}

func controllerOf(pod *corev1.Pod) string {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return owner.Kind
	}
	return "none"
}
