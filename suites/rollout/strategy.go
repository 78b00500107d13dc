package rollout

import (
	"context"
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

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

// strategies: which strategies the API server accepts (Kubernetes v1.36.3, pkg/apis/apps/validation/validation.go,
// ValidateDeploymentStrategy and ValidateRollingUpdateDeployment). The error about a type that does not exist names spec.strategy
// as a whole, not its type. A surge may be over 100 %, unavailable may not.
func strategies() harness.Scenario {
	const field = "spec.strategy"
	rolling := func(surge, unavailable intstr.IntOrString) appsv1.DeploymentStrategy {
		return appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable}}
	}
	number, text := intstr.FromInt32, intstr.FromString
	// Strategies, and what the API server replies to each.
	creates := []struct {
		name     string
		strategy appsv1.DeploymentStrategy
		reply    string
	}{
		{"type Recreate", appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}, "accepted"},
		{"type BlueGreen", appsv1.DeploymentStrategy{Type: "BlueGreen"}, "FieldValueNotSupported " + field},
		{"surge 0 and unavailable 0", rolling(number(0), number(0)), "FieldValueInvalid " + field + ".rollingUpdate.maxUnavailable"},
		{"surge 0% and unavailable 0%", rolling(text("0%"), text("0%")), "FieldValueInvalid " + field + ".rollingUpdate.maxUnavailable"},
		{"surge 0% and unavailable 1%", rolling(text("0%"), text("1%")), "accepted"}, // 1 % also comes to 0 for most apps: see fenceposts
		{"surge 200%", rolling(text("200%"), number(0)), "accepted"},
		{"unavailable 101%", rolling(number(1), text("101%")), "FieldValueInvalid " + field + ".rollingUpdate.maxUnavailable"},
		{"surge -1", rolling(number(-1), number(1)), "FieldValueInvalid " + field + ".rollingUpdate.maxSurge"},
	}
	patches := []struct{ name, patch, reply string }{
		{"Recreate that leaves the limits of RollingUpdate", `{"spec":{"strategy":{"type":"Recreate"}}}`,
			"FieldValueForbidden " + field + ".rollingUpdate"},
		{"Recreate that takes them out", `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}`, "accepted"},
	}
	s := harness.Scenario{
		ID:      "strategies",
		Profile: harness.Core,
		Claim:   "a Deployment is rolled out by RollingUpdate or by Recreate, and limits that allow no step are refused",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			deployments, dry := steps.Client.AppsV1().Deployments(steps.Namespace), []string{metav1.DryRunAll}
			for _, c := range creates {
				d := fixtures.App{}.Deployment(steps.Into, "v1")
				d.Spec.Strategy = c.strategy
				_, err := deployments.Create(ctx, d, metav1.CreateOptions{DryRun: dry})
				noteReply(steps, c.name, err)
			}
			live := harness.Must(deployments.Create(ctx, fixtures.App{}.Deployment(steps.Into, "v1"), metav1.CreateOptions{}))
			for _, p := range patches {
				_, err := deployments.Patch(ctx, live.Name, types.MergePatchType, []byte(p.patch), metav1.PatchOptions{DryRun: dry})
				noteReply(steps, p.name, err)
			}
		}},
	}
	for _, c := range creates {
		x := verdict.Fact(c.name, c.reply)
		if c.strategy.RollingUpdate == nil { // not about the limits
			x = x.Decides("C20.strategies")
		}
		s.Expect = append(s.Expect, x)
	}
	for _, p := range patches {
		s.Expect = append(s.Expect, verdict.Fact(p.name, p.reply).Decides("C20.strategies"))
	}
	return s
}

// noteReply notes what the API server replies to a write: accepted, or the cause and the field of each error. An error of another
// kind ends the steps.
func noteReply(steps *harness.Steps, name string, err error) {
	reply := "accepted"
	if err != nil {
		var status apierrors.APIStatus
		if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
			harness.Check(err)
		}
		var causes []string
		for _, c := range status.Status().Details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s", c.Type, c.Field))
		}
		reply = strings.Join(causes, ", ")
	}
	steps.Note(name, reply)
}

// selector: a Deployment's selector, by which it owns pods, cannot be changed (Kubernetes v1.36.3,
// pkg/registry/apps/deployment/strategy.go, ValidateUpdate). A manifest with other labels is refused as a whole, and nothing is
// rolled out.
func selector() harness.Scenario {
	app := fixtures.App{Replicas: 1}
	return harness.Scenario{
		ID:    "selector",
		Claim: "a Deployment whose selector is changed is refused, and its pods stay",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			first := steps.StayingPods(ctx)
			patch := `{"spec":{"selector":{"matchLabels":{"team":"a"}},"template":{"metadata":{"labels":{"team":"a"}}}}}`
			_, err := steps.Client.AppsV1().Deployments(steps.Namespace).Patch(ctx, fixtures.DefaultName, types.StrategicMergePatchType,
				[]byte(patch), metav1.PatchOptions{})
			noteReply(steps, "another selector", err)
			noteStaying(ctx, steps, first, "that")
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("another selector", "FieldValueInvalid spec.selector"),
			verdict.Fact("after that", "revision 1, 1 of 1 first pods"),
		},
	}
}
