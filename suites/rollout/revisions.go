package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// rollback goes back with the old manifest, and then forward again as `kubectl rollout undo` does. The controller looks for a
// ReplicaSet with the wanted template before it makes one (Kubernetes v1.36.3, pkg/controller/deployment/sync.go,
// getNewReplicaSet).
func rollback() harness.Scenario {
	const reused = "the pods of v1 are again of the ReplicaSet, by UID, that they were of at first"
	app := fixtures.App{Replicas: 2}
	return harness.Scenario{
		ID:      "rollback",
		Profile: harness.Core,
		Claim:   "going back to a version reuses its ReplicaSet under the next revision, whether by manifest or by undo",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Note("history at first", steps.History(ctx))
			first := steps.ReplicaSets(ctx)
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			steps.Note("history after v2", steps.History(ctx))
			revise(ctx, steps, to(steps, app, "v1"))
			steps.Note("history after v1 again", steps.History(ctx))
			again := steps.ReplicaSets(ctx)
			steps.Note(reused, slices.ContainsFunc(again, func(rs appsv1.ReplicaSet) bool {
				return rs.UID == first[0].UID && *rs.Spec.Replicas == app.Replicas
			}))
			harness.Check(undo(ctx, steps))
			steps.Note("history after the undo", steps.History(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("history at first", "1 v1"),
			verdict.Fact("history after v2", "1 v1, 2 v2").Decides("C23"),
			verdict.Fact("history after v1 again", "2 v2, 3 v1 that was 1").Decides("C23"),
			verdict.Fact(reused, "true").Decides("C23"),
			verdict.Fact("history after the undo", "3 v1 that was 1, 4 v2 that was 2").Decides("C23"),
		},
	}
}

// undo goes back to the previous revision. The error is kubectl's, for example that there is none.
func undo(ctx context.Context, steps *harness.Steps) error {
	deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
	if err := rollout.Undo(steps.Client, harness.Must(deployments.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))); err != nil {
		return err
	}
	steps.Until(ctx, completed(harness.Must(deployments.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))))
	return nil
}

// templateOnly changes everything about a Deployment except its pod template, and no pod is replaced.
func templateOnly() harness.Scenario {
	app := fixtures.App{Replicas: 2}
	changes := []struct {
		name string
		edit func(*appsv1.Deployment)
	}{
		{"scaling up", func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(3)) }},
		{"other limits", func(d *appsv1.Deployment) { d.Spec.Strategy.RollingUpdate.MaxSurge = percent(100) }},
		{"another strategy", func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}},
		{"minReadySeconds", func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 1 }},
		{"progressDeadlineSeconds", func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(60)) }},
		{"revisionHistoryLimit", func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(3)) }},
		{"a label of the Deployment", func(d *appsv1.Deployment) { d.Labels["team"] = "platform" }},
		{"an annotation of the Deployment", func(d *appsv1.Deployment) { d.Annotations["team"] = "platform" }},
	}
	s := harness.Scenario{
		ID:      "template-only",
		Profile: harness.Core,
		Claim:   "a Deployment replaces its pods when their template changes, and at no other change",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			first := steps.StayingPods(ctx)
			for _, c := range changes {
				revise(ctx, steps, c.edit)
				noteStaying(ctx, steps, first, c.name)
			}
			noteRestart(ctx, steps, first)
		}},
	}
	for _, c := range changes {
		s.Expect = append(s.Expect, verdict.Fact("after "+c.name, "revision 1, 2 of 2 first pods").Decides("C24"))
	}
	s.Expect = append(s.Expect, verdict.Fact("after restart", "revision 2, 0 of 2 first pods").Decides("C24"))
	return s
}

// noteRestart changes only an annotation of the template, as `kubectl rollout restart` does (kubectl v0.37.2,
// pkg/polymorphichelpers/objectrestarter.go), and notes what became of the first pods.
func noteRestart(ctx context.Context, steps *harness.Steps, first sets.Set[types.UID]) {
	revise(ctx, steps, func(d *appsv1.Deployment) {
		d.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": time.Now().Format(time.RFC3339)}
	})
	noteStaying(ctx, steps, first, "restart")
}

// noteStaying notes the Deployment's revision, and how many of the first pods are not terminating.
func noteStaying(ctx context.Context, steps *harness.Steps, first sets.Set[types.UID], after string) {
	d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	stay := first.Intersection(steps.StayingPods(ctx))
	steps.Note("after "+after, fmt.Sprintf("revision %s, %d of %d first pods",
		d.Annotations[deployment.RevisionAnnotation], stay.Len(), first.Len()))
}

// configMap: an object that a pod template names is not part of it. New content under the same name replaces no pod; another name,
// such as one that ends in a hash of the content, changes the template.
func configMap() harness.Scenario {
	const content, name = "other content", "another name"
	from := func(configMap string) *corev1.EnvVar {
		return &corev1.EnvVar{Name: "MORE", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Key: "more"}}}
	}
	app := fixtures.App{Replicas: 2, Env: from("settings")}
	return harness.Scenario{
		ID:    "config-map",
		Claim: "changing a ConfigMap's content replaces no pod and makes no revision; referring to one with another name does both",
		Uses:  []string{harness.AppObjects},
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			configMaps := steps.Client.CoreV1().ConfigMaps(steps.Namespace)
			write := func(name, value string) {
				harness.Must(configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
					Data: map[string]string{"more": value}}, metav1.CreateOptions{}))
			}
			write("settings", "1")
			steps.Deploy(ctx, app, "v1")
			first := steps.StayingPods(ctx)
			// Deleted and created again, for which there are rights: this is as much a change as an update.
			harness.Check(configMaps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=settings"}))
			write("settings", "2")
			steps.Pause(ctx, steadyAfter)
			noteStaying(ctx, steps, first, content)
			write("settings-2", "2")
			revise(ctx, steps, func(d *appsv1.Deployment) {
				next := app
				next.Env = from("settings-2")
				to(steps, next, "v1")(d)
			})
			noteStaying(ctx, steps, first, name)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("after "+content, "revision 1, 2 of 2 first pods"),
			verdict.Fact("after "+name, "revision 2, 0 of 2 first pods"),
		},
	}
}

// historyLimit: old ReplicaSets beyond the limit are deleted, oldest first, once a rollout is complete
// (Kubernetes v1.36.3, pkg/controller/deployment/sync.go, cleanupDeployment).
func historyLimit() harness.Scenario {
	const kept, revisions = 10, 12 // kept unless the Deployment says otherwise (pkg/apis/apps/v1/defaults.go)
	const undoing = "undo with a limit of 0"
	app := fixtures.App{Replicas: 0} // the history does not depend on pods
	return harness.Scenario{
		ID:      "history-limit",
		Profile: harness.Core,
		Claim:   "a Deployment keeps 10 old ReplicaSets, or as many as its limit says, and with a limit of 0 there is nothing to undo",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			for n := range revisions {
				revise(ctx, steps, func(d *appsv1.Deployment) {
					d.Spec.RevisionHistoryLimit = nil
					d.Spec.Template.Annotations = map[string]string{"edit": fmt.Sprint(n)}
				})
			}
			noteKept(ctx, steps, kept)
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(2)) })
			noteKept(ctx, steps, 2)
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(0)) })
			noteKept(ctx, steps, 0)
			if err := undo(ctx, steps); err != nil {
				steps.Note(undoing, err)
			}
			harness.Check(context.Cause(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("history with a limit of 10",
				"3 v1, 4 v1, 5 v1, 6 v1, 7 v1, 8 v1, 9 v1, 10 v1, 11 v1, 12 v1, 13 v1").Decides("C25"),
			verdict.Fact("history with a limit of 2", "11 v1, 12 v1, 13 v1").Decides("C25"),
			verdict.Fact("history with a limit of 0", "13 v1").Decides("C25"),
			verdict.Fact(undoing, `no rollout history found for deployment "echo"`).Decides("C25"),
		},
	}
}

// noteKept notes the history after the controller has cleaned it up, which it does after it has reported the rollout as complete.
func noteKept(ctx context.Context, steps *harness.Steps, limit int) {
	steady(ctx, limit+1, func() int { return len(steps.ReplicaSets(ctx)) })
	steps.Note(fmt.Sprintf("history with a limit of %d", limit), steps.History(ctx))
}
