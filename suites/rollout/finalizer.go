package rollout

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// finalizer is of nobody but the steps, which take it away again.
const finalizer = "rollcall.local/kept"

// Facts about a pod that a finalizer keeps in the API after its end.
const (
	keptPhase = "phase of the old pod that the finalizer keeps"
	newServes = "the new pod is ready while the old one is still there"
	// This is within 30 s.
	goneServes = "the new pod is ready once the finalizer is removed, and the old one is gone"
)

// keptByFinalizer: a pod with a finalizer stays in the API when its containers have ended, in phase Succeeded or Failed. A Deployment
// with the strategy Recreate waits for old pods that run alone (Kubernetes v1.37, pkg/controller/deployment/recreate.go, oldPodsRunning).
// A StatefulSet cannot make the pod of that name anew until the old object is gone.
func keptByFinalizer() []harness.Scenario {
	scenario := func(id, claim, serves string, begin func(context.Context, *harness.Steps, string)) harness.Scenario {
		return harness.Scenario{
			ID: id, Claim: claim,
			Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
				app := fixtures.App{Replicas: 1, Recreate: true}
				steps.Expose(ctx, app)
				begin(ctx, steps, "v1")
				steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == 1 })
				old := steps.Pods(ctx)[0]
				patchPod(ctx, steps, old.Name, fmt.Sprintf(`{"metadata":{"finalizers":[%q]}}`, finalizer))
				steps.Cleanup(func(ctx context.Context) error { return removeFinalizers(ctx, steps, old) })
				begin(ctx, steps, "v2")
				steps.Note(newServes, steps.Within(ctx, 20*time.Second, func(s observe.State) bool { return s.Available("v2") == 1 }))
				kept := harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).Get(ctx, old.Name, metav1.GetOptions{}))
				phase := string(kept.Status.Phase)
				if kept.UID != old.UID {
					phase = "it is gone"
				}
				steps.Note(keptPhase, phase)
				harness.Check(removeFinalizers(ctx, steps, old))
				steps.Note(goneServes, steps.Within(ctx, 30*time.Second, func(s observe.State) bool {
					return s.Available("v2") == 1 && s.Count("v1") == 0
				}))
			}},
			Expect: []evidence.Expectation{
				verdict.Fact(keptPhase, "Succeeded", "Failed"), // by the exit code of the app
				verdict.Fact(newServes, serves), verdict.Fact(goneServes, "true"),
			},
		}
	}
	return []harness.Scenario{
		scenario("finalizer-of-deployment", "a finalizer keeps the object of an old pod, and a Deployment that is recreated does not wait for it",
			"true", func(ctx context.Context, steps *harness.Steps, version string) {
				d := fixtures.App{Replicas: 1, Recreate: true}.Deployment(steps.Into, version)
				if version == "v1" {
					harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, d, metav1.CreateOptions{}))
					return
				}
				change(ctx, steps, func(live *appsv1.Deployment) { live.Spec.Template = d.Spec.Template })
			}),
		scenario("finalizer-of-stateful-set", "a finalizer keeps the object of an old pod, and a StatefulSet makes no pod of that name meanwhile",
			"false", func(ctx context.Context, steps *harness.Steps, version string) {
				set := fixtures.App{Replicas: 1}.StatefulSet(steps.Into, version)
				sets := steps.Client.AppsV1().StatefulSets(steps.Namespace)
				if version == "v1" {
					harness.Must(sets.Create(ctx, set, metav1.CreateOptions{}))
					return
				}
				harness.Must(rollout.Edit(ctx, sets, set.Name, func(live *appsv1.StatefulSet) { live.Spec.Template = set.Spec.Template }))
			}),
	}
}

// removeFinalizers takes the finalizers from a pod, if it is still there.
func removeFinalizers(ctx context.Context, steps *harness.Steps, pod corev1.Pod) error {
	patch := fmt.Sprintf(`{"metadata":{"uid":%q,"finalizers":null}}`, pod.UID) // not of the pod that has its name by then
	_, err := steps.Client.CoreV1().Pods(steps.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) { // of another pod the uid would change
		return nil
	}
	return err
}
