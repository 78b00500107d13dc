package termination

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// hooks: whatever a preStop hook is, SIGTERM comes when it is over, and one that fails is over at once (Kubernetes
// v1.36.3, pkg/kubelet/lifecycle/handlers.go).
func hooks() []harness.Scenario {
	const wait = 6 * time.Second
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		app       fixtures.App
		change    func(*corev1.Service, *corev1.Pod)
		lasts     time.Duration
		fails     int // times it is reported to
	}{
		{id: "hook-exec", claim: "an exec hook holds SIGTERM back until its program has ended",
			app: fixtures.App{PreStop: fixtures.HookExec("/echo", "sleep", wait.String())}, lasts: wait},
		{id: "hook-exec-missing", claim: "an exec hook whose program the image lacks fails, and SIGTERM comes at once",
			app: fixtures.App{PreStop: fixtures.HookExec("sleep", "20")}, fails: 1},
		{id: "hook-http-get", claim: "an httpGet hook holds SIGTERM back until the app has answered",
			app: fixtures.App{PreStop: fixtures.HookHTTPGet("/"), HandlerDelay: wait}, lasts: wait},
		{id: "hook-http-get-unavailable", claim: "an httpGet hook that is answered 503 counts as a success",
			app: fixtures.App{PreStop: fixtures.HookHTTPGet("/ready"), ReadyDelay: time.Hour}, change: readyWhenAlive},
		{id: "hook-http-get-refused", claim: "an httpGet hook that nobody answers fails, and SIGTERM comes at once",
			app: fixtures.App{PreStop: fixtures.HookHTTPGet("/")}, change: hookElsewhere, fails: 1},
		{id: "hook-sleep", claim: "a sleep hook holds SIGTERM back for as long as it says",
			app: fixtures.App{PreStop: fixtures.HookSleep(wait)}, lasts: wait},
		{id: "hook-sleep-zero", claim: "a sleep hook of 0 s is allowed and holds nothing back",
			app: fixtures.App{PreStop: fixtures.HookSleep(0)}},
	} {
		row.app.Linger = 2 * time.Second // what is said about its hook is in the API before it is gone
		scenarios = append(scenarios, ending{app: row.app, change: row.change, fails: row.fails}.scenario(row.id, row.claim,
			after(evidence.PodDeleting, evidence.PodSigterm, row.lasts).Decides("C33"),
			verdict.Fact(failedHooks, strconv.Itoa(row.fails)),
		))
	}
	return scenarios
}

// readyWhenAlive lets a pod serve while its app's own word is that it is not ready.
func readyWhenAlive(_ *corev1.Service, pod *corev1.Pod) {
	app := pod.Spec.Containers[0]
	app.ReadinessProbe.HTTPGet.Path = app.LivenessProbe.HTTPGet.Path
}

// hookElsewhere asks a port where nobody listens.
func hookElsewhere(_ *corev1.Service, pod *corev1.Pod) {
	pod.Spec.Containers[0].Lifecycle.PreStop.HTTPGet.Port = intstr.FromInt32(fixtures.AppPort + 1)
}
