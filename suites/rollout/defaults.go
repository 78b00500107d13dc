package rollout

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// defaults: what the API server fills in for a Deployment that names no strategy (Kubernetes v1.36.3,
// pkg/apis/apps/v1/defaults.go).
func defaults() harness.Scenario {
	return harness.Scenario{
		ID:      "defaults",
		Profile: harness.Core,
		Claim:   "a Deployment that names no strategy is rolled out by RollingUpdate with 25 % surge and 25 % unavailable",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			bare := fixtures.App{Replicas: 1}.Deployment(steps.Into, "v1")
			bare.Spec.Replicas, bare.Spec.Strategy = nil, appsv1.DeploymentStrategy{}
			dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
			d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, bare, dry))
			steps.Note("strategy", d.Spec.Strategy.Type)
			steps.Note("max surge", d.Spec.Strategy.RollingUpdate.MaxSurge)
			steps.Note("max unavailable", d.Spec.Strategy.RollingUpdate.MaxUnavailable)
			steps.Note("replicas", *d.Spec.Replicas)
			steps.Note("seconds until a rollout is late", *d.Spec.ProgressDeadlineSeconds)
			steps.Note("old ReplicaSets kept", *d.Spec.RevisionHistoryLimit)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("strategy", "RollingUpdate").Decides("C9", "C20.default"),
			verdict.Fact("max surge", "25%").Decides("C9"),
			verdict.Fact("max unavailable", "25%").Decides("C9"),
			verdict.Fact("replicas", "1"),
			verdict.Fact("seconds until a rollout is late", "600"),
			verdict.Fact("old ReplicaSets kept", "10"),
		},
	}
}
