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
	"example.com/rollcall/harness/verdict"
)

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
