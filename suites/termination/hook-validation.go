package termination

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// hookValidation: a sleep as long as the grace period is accepted, though the message says otherwise (Kubernetes v1.36.3,
// pkg/apis/core/validation/validation.go, validateSleepAction). A sleep of 0 s is accepted since 1.33, with another message about the rest
// (KEP-4818, PodLifecycleSleepActionAllowZero).
func hookValidation() harness.Scenario {
	const grace = 5 * time.Second
	const accepted, refused = "accepted", "must be non-negative and less than terminationGracePeriodSeconds (5)"
	return harness.Scenario{
		ID:      "hook-validation",
		Profile: harness.Core,
		Claim:   "a sleep hook of 0 s up to the grace is accepted, and any other is refused",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			try := func(name string, app fixtures.App) {
				deployment := app.Deployment(steps.Into, "v1")
				_, err := steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, deployment,
					metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				switch status := apierrors.APIStatus(nil); {
				case err == nil:
					steps.Note(name, accepted)
				case apierrors.IsInvalid(err) && errors.As(err, &status):
					var causes []string
					for _, c := range status.Status().Details.Causes {
						causes = append(causes, c.Message)
					}
					steps.Note(name, strings.Join(causes, "; "))
				default:
					harness.Check(err)
				}
			}
			for _, sleep := range []time.Duration{-time.Second, 0, grace, grace + time.Second} {
				try(fmt.Sprintf("sleep of %v with a grace of %v", sleep, grace), fixtures.App{PreStop: fixtures.HookSleep(sleep), Grace: grace})
			}
			two := fixtures.HookSleep(time.Second)
			two.Exec = fixtures.HookExec("/echo", "sleep", "1s").Exec
			try("two kinds in one hook", fixtures.App{PreStop: two})
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("sleep of -1s with a grace of 5s", "Invalid value: -1: "+refused).Since("1.33"),
			verdict.Fact("sleep of 0s with a grace of 5s", accepted).Decides("C33").Since("1.33"),
			verdict.Fact("sleep of 5s with a grace of 5s", accepted).Decides("C33"),
			verdict.Fact("sleep of 6s with a grace of 5s", "Invalid value: 6: "+refused).Since("1.33"),
			verdict.Fact("two kinds in one hook", "Forbidden: may not specify more than 1 handler type").Decides("C33"),
		},
	}
}
