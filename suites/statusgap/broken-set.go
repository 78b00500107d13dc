package statusgap

import (
	"context"
	"strconv"
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

// brokenSet: a StatefulSet whose new pod never gets ready does not replace it when the template is set back: its controller waits for
// that pod first, unless podManagementPolicy is Parallel (Kubernetes v1.37, pkg/controller/statefulset/stateful_set_control.go,
// processReplica, and kubernetes/kubernetes#67250). Somebody has to delete it.
func brokenSet() []harness.Scenario {
	const (
		recovers = "the set recovers within 15 s of the old template"
		deleted  = "it recovers within 30 s of the broken pod's deletion"
	)
	scenario := func(id, claim string, policy appsv1.PodManagementPolicyType, itself bool) harness.Scenario {
		return harness.Scenario{
			ID: id, Claim: claim,
			Kind: harness.InSteps{Lasts: time.Minute, Do: func(ctx context.Context, steps *harness.Steps) {
				app := fixtures.App{Replicas: 3}
				steps.Expose(ctx, app)
				sets := steps.Client.AppsV1().StatefulSets(steps.Namespace)
				first := app.StatefulSet(steps.Into, "v1")
				first.Spec.PodManagementPolicy = policy
				harness.Must(sets.Create(ctx, first, metav1.CreateOptions{}))
				whole := func(s observe.State) bool { return s.Available("v1") == 3 && s.Count("v2") == 0 }
				steps.Until(ctx, whole)
				broken := app
				broken.ReadyDelay = time.Hour
				template := func(of fixtures.App, version string) {
					harness.Must(rollout.Edit(ctx, sets, first.Name, func(live *appsv1.StatefulSet) {
						live.Spec.Template = of.StatefulSet(steps.Into, version).Spec.Template
					}))
				}
				template(broken, "v2")
				steps.Until(ctx, func(s observe.State) bool { return s.Count("v2") == 1 })
				template(app, "v1")
				is := steps.Within(ctx, 15*time.Second, whole)
				steps.Note(recovers, is)
				if is {
					return
				}
				for _, p := range steps.Pods(ctx) {
					if p.Labels[fixtures.VersionLabel] == "v2" {
						harness.Check(steps.Client.CoreV1().Pods(steps.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{}))
					}
				}
				steps.Note(deleted, steps.Within(ctx, 30*time.Second, whole))
			}},
			Expect: []evidence.Expectation{verdict.Fact(recovers, strconv.FormatBool(itself))},
		}
	}
	all := []harness.Scenario{
		scenario("broken-set-ordered", "a StatefulSet with a broken new pod does not go back to the old template until somebody deletes that pod",
			appsv1.OrderedReadyPodManagement, false),
		scenario("broken-set-parallel", "a StatefulSet with podManagementPolicy Parallel and a broken new pod goes back to the old template by itself", appsv1.ParallelPodManagement, true),
	}
	all[0].Expect = append(all[0].Expect, verdict.Fact(deleted, "true"))
	return all
}
