package termination

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// hooks: whatever the preStop hook does, SIGTERM comes when it is over, and a hook that fails is over at once (Kubernetes v1.36.3,
// pkg/kubelet/lifecycle/handlers.go).
func hooks() []harness.Scenario {
	const wait = 6 * time.Second
	// Before 1.33 the API server refuses a sleep of 0 s (KEP-4818, PodLifecycleSleepActionAllowZero).
	zero := hook("hook-sleep-zero", "a sleep hook of 0 s is allowed and holds nothing back", 0,
		ending{app: fixtures.App{PreStop: fixtures.HookSleep(0)}})
	for i, x := range zero.Expect {
		zero.Expect[i] = x.Since("1.33")
	}
	return []harness.Scenario{
		hook("hook-exec", "an exec hook holds SIGTERM back until its program has ended", wait,
			ending{app: fixtures.App{PreStop: fixtures.HookExec("/echo", "sleep", wait.String())}}),
		hook("hook-exec-missing", "an exec hook whose program the image lacks fails, and SIGTERM comes at once", 0,
			ending{app: fixtures.App{PreStop: fixtures.HookExec("sleep", "20")}, fails: 1}),
		hook("hook-http-get", "an httpGet hook holds SIGTERM back until the app has answered", wait,
			ending{app: fixtures.App{PreStop: fixtures.HookHTTPGet("/"), HandlerDelay: wait}}),
		hook("hook-http-get-unavailable", "an httpGet hook that is answered 503 counts as a success", 0,
			ending{app: fixtures.App{PreStop: fixtures.HookHTTPGet("/ready"), ReadyDelay: time.Hour}, change: readyWhenAlive}),
		hook("hook-http-get-refused", "an httpGet hook that nobody answers fails, and SIGTERM comes at once", 0,
			ending{app: fixtures.App{PreStop: fixtures.HookHTTPGet("/")}, change: hookElsewhere, fails: 1}),
		hook("hook-sleep", "a sleep hook holds SIGTERM back for as long as it says", wait,
			ending{app: fixtures.App{PreStop: fixtures.HookSleep(wait)}}),
		zero,
	}
}

// hook returns a scenario about the end of a pod whose hook lasts so long.
func hook(id, claim string, lasts time.Duration, e ending) harness.Scenario {
	e.app.Linger = 2 * time.Second // its hook's Event is in the API before the pod is gone
	return e.scenario(id, claim,
		after(evidence.PodDeleting, evidence.PodSigterm, lasts).Decides("C33"),
		verdict.Fact(failedHooks, strconv.Itoa(e.fails)),
	)
}

// readyWhenAlive lets a pod serve although its app reports that it is not ready.
func readyWhenAlive(_ *corev1.Service, pod *corev1.Pod) {
	app := pod.Spec.Containers[0]
	app.ReadinessProbe.HTTPGet.Path = app.LivenessProbe.HTTPGet.Path
}

// hookElsewhere points the hook to a port where nobody listens.
func hookElsewhere(_ *corev1.Service, pod *corev1.Pod) {
	pod.Spec.Containers[0].Lifecycle.PreStop.HTTPGet.Port = intstr.FromInt32(fixtures.AppPort + 1)
}

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
