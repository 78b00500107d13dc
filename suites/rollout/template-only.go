package rollout

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/verdict"
)

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
