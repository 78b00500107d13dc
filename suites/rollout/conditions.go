package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// conditions: what a Deployment reports about itself during a rollout (Kubernetes v1.36.3,
// pkg/controller/deployment/{sync,progress}.go). Progressing stays True throughout: only its reason tells a rollout in progress
// from one that is done.
func conditions() harness.Scenario {
	app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
	return harness.Scenario{
		ID:      "conditions",
		Profile: harness.Core,
		Claim: "a Deployment that is rolled out stays Available, and says in turn " +
			"that its ReplicaSet was created, is progressing and is available",
		Steps: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			changes := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
			defer changes.Stop()
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			told, done := conditionsTold(ctx, changes)
			for _, kind := range []appsv1.DeploymentConditionType{appsv1.DeploymentProgressing, appsv1.DeploymentAvailable} {
				steps.Note(string(kind)+" in turn", strings.Join(slices.Compact(told[kind]), ", "))
			}
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

// conditionsTold returns, by type, what each condition of a Deployment said in every state of it until v2 is rolled out, and the
// last state.
func conditionsTold(ctx context.Context, changes watch.Interface) (
	told map[appsv1.DeploymentConditionType][]string, last *appsv1.Deployment,
) {
	told = map[appsv1.DeploymentConditionType][]string{}
	for _, last = range harness.Changes[*appsv1.Deployment](ctx, changes) {
		for _, c := range last.Status.Conditions {
			told[c.Type] = append(told[c.Type], fmt.Sprintf("%s %s", c.Status, c.Reason))
		}
		if last.Spec.Template.Labels[fixtures.VersionLabel] == "v2" && rollout.Complete(last) {
			break
		}
	}
	return told, last
}
