package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// conditions: what a Deployment tells about itself while it is rolled out (Kubernetes v1.36.3,
// pkg/controller/deployment/{sync,progress}.go). Progressing stays True throughout: only its reason tells a rollout
// that is under way from one that is done.
func conditions() harness.Scenario {
	app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
	return harness.Scenario{
		ID:      "conditions",
		Profile: harness.Core,
		Claim: "a Deployment that is rolled out stays Available, and says in turn " +
			"that its ReplicaSet was created, is progressing and is available",
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			told := conditionLog{}
			before := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			done := told.read(ctx, steps, before)
			steps.Note("Progressing in turn", told.in("Progressing"))
			steps.Note("Available in turn", told.in("Available"))
			steps.Note("numbers at the end", fmt.Sprintf("%d desired, %d updated, %d total, %d available, %d unavailable",
				*done.Spec.Replicas, done.Status.UpdatedReplicas, done.Status.Replicas, done.Status.AvailableReplicas, done.Status.UnavailableReplicas))
		},
		Expect: []evidence.Expectation{
			verdict.Fact("Progressing in turn",
				"True NewReplicaSetAvailable, True NewReplicaSetCreated, True ReplicaSetUpdated, True NewReplicaSetAvailable").Decides("C22"),
			verdict.Fact("Available in turn", "True MinimumReplicasAvailable").Decides("C22"),
			verdict.Fact("numbers at the end", "3 desired, 3 updated, 3 total, 3 available, 0 unavailable").Decides("C22"),
		},
	}
}

// A conditionLog is what each condition of a Deployment said, by type, where it changed.
type conditionLog map[appsv1.DeploymentConditionType][]string

// read takes down every state of the Deployment after a version of it until v2 is rolled out, and returns the last.
func (d conditionLog) read(ctx context.Context, steps *harness.Steps, from *appsv1.Deployment) *appsv1.Deployment {
	d.note(from)
	watch := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Watch(ctx,
		metav1.ListOptions{FieldSelector: "metadata.name=" + from.Name, ResourceVersion: from.ResourceVersion}))
	defer watch.Stop()
	for event := range watch.ResultChan() {
		next, ok := event.Object.(*appsv1.Deployment)
		if !ok {
			break
		}
		d.note(next)
		if next.Spec.Template.Labels[fixtures.VersionLabel] == "v2" && rollout.Complete(next) {
			return next
		}
	}
	harness.Check(context.Cause(ctx))
	harness.Check(errors.New("the watch of the Deployment ended early"))
	return nil
}

func (d conditionLog) note(deployment *appsv1.Deployment) {
	for _, c := range deployment.Status.Conditions {
		says := fmt.Sprintf("%s %s", c.Status, c.Reason)
		if told := d[c.Type]; len(told) == 0 || told[len(told)-1] != says {
			d[c.Type] = append(slices.Clip(told), says)
		}
	}
}

func (d conditionLog) in(kind appsv1.DeploymentConditionType) string {
	return strings.Join(d[kind], ", ")
}
