package termination

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
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
