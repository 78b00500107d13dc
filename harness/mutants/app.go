package mutants

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// appMutants damage the app, its pods or its Deployment.
func appMutants() []Mutant {
	return []Mutant{
		{ID: "hook-does-nothing", Damages: "the preStop hook ends at once", Of: drained,
			Change: func(s *harness.Scenario) { s.App.PreStopSleep, s.App.PreStop = 0, fixtures.HookSleep(0) },
			Want:   verdict.Fail, Cause: "rules-before-sigterm"},
		{ID: "app-exits-at-once", Damages: "there is no preStop hook, and the app exits at once", Of: drained,
			Change: func(s *harness.Scenario) { s.App.PreStopSleep, s.App.Linger, s.App.OnTerm = 0, 0, fixtures.Exit },
			Want:   verdict.Fail, Cause: "no-failures"},
		{ID: "readiness-lies", Damages: "pods count as ready 3 s before they listen", Of: drained,
			Change: func(s *harness.Scenario) { s.App.Unprobed, s.App.StartDelay = true, 3*time.Second }, Want: verdict.Fail, Cause: "no-failures"},
		{ID: "image-not-changed", Damages: "somebody sets the image back as soon as the rollout has begun",
			Of: drained, When: begun(200 * time.Millisecond),
			Do: deploymentChanged(func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Image = fixtures.ImageRef("echo", harness.OldVersion)
			}), Want: verdict.Fail, Cause: "only-serves"},
		{ID: "scaled-down", Damages: "somebody scales the Deployment to 1", Of: drained, When: begun(time.Second),
			Change: expecting(verdict.MinAvailable(3)), Do: deploymentChanged(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(1)) }),
			Want: verdict.Fail, Cause: "min-available"},
		{ID: "scaled-up", Damages: "somebody scales the Deployment to 5", Of: drained, When: begun(time.Second),
			Change: expecting(verdict.MaxActive(4)), Do: deploymentChanged(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(5)) }),
			Want: verdict.Fail, Cause: "max-active"},
		{ID: "pod-removed-by-force", Damages: "a new pod is deleted by force soon after it is ready", Of: drained,
			When:   Moment{Event: evidence.PodReady, Version: harness.NewVersion, After: 1800 * time.Millisecond}, // an old one ends
			Change: expecting(verdict.MinAvailable(4)), Do: removedByForce,
			Want: verdict.Fail, Cause: "min-available"},
		{ID: "container-killed", Damages: "the process of a new pod is killed", Of: drained,
			When: Moment{Event: evidence.PodReady, Version: harness.NewVersion, After: 500 * time.Millisecond}, Do: signalled("kill -KILL $pid"),
			Want: verdict.Fail, Cause: "no-failures"},
		{ID: "pod-slow", Damages: "the process of a new pod is stopped for 1.2 s", Of: drained,
			When: Moment{Event: evidence.PodReady, Version: harness.NewVersion, After: time.Second},
			Do:   signalled("kill -STOP $pid; sleep 1.2; kill -CONT $pid"), Want: verdict.Fail, Cause: "max-latency"},
		{ID: "close-frame-left-out", Damages: "pods exit at SIGTERM without a close frame for their WebSockets", Of: "streams/websocket-told",
			Change: func(s *harness.Scenario) { s.App.OnTerm, s.App.Linger = fixtures.Exit, 0 }, Want: verdict.Fail, Cause: "told-before-end"},
		{ID: "control-drains", Damages: "the pods of the negative control drain, so that nobody loses anything", Of: undrained,
			Change: func(s *harness.Scenario) {
				s.App.PreStopSleep, s.App.Linger, s.App.OnTerm = 5*time.Second, 2*time.Second, fixtures.Drain
			}, Want: verdict.Fail, Cause: "lost-while-terminating"},
		{ID: "goaway-left-out", Damages: "pods exit at SIGTERM, without GOAWAY on the connections of HTTP/2 that clients share",
			Of: "streams/shared-goaway", Change: func(s *harness.Scenario) { s.App.Linger, s.App.OnTerm = 0, fixtures.Exit },
			Want: verdict.Fail, Cause: "told-before-end"},
		{ID: "end-mark-left-out", Damages: "the app's streams end without their end mark", Of: "streams/streams-drained",
			Change: func(s *harness.Scenario) { s.App.Env = &corev1.EnvVar{Name: "ROLLCALL_STREAM_MARK", Value: "bye"} },
			Want:   verdict.Fail, Cause: "no-failures"},
		{ID: "streams-held-too-long", Damages: "the app's streams last longer than its grace period, whose end cuts them",
			Of: "streams/streams-drained", Change: func(s *harness.Scenario) { s.App.Grace = 5 * time.Second }, Want: verdict.Fail,
			Cause: "no-failures"},
		{ID: "hook-killed", Damages: "the program of an exec hook is killed", Of: "termination/hook-exec",
			When: Moment{Event: evidence.PodDeleting, After: 2 * time.Second}, Do: hookKilled, Want: verdict.Fail, Cause: "fact"},
		{ID: "grpc-goaway-left-out", Damages: "pods exit at SIGTERM, without GOAWAY on the connections of RPCs",
			Of: "streams/grpc-drained", Change: func(s *harness.Scenario) { s.App.Linger, s.App.HandlerDelay, s.App.OnTerm = 0, 0, fixtures.Exit },
			Want: verdict.Fail, Cause: "told-before-end"},
		// A second deletion with a shorter grace period would not end a hook that has begun (seen on v1.36.3).
		{ID: "grace-cut-short", Damages: "pods have a grace of 2 s, which ends their hook of 5 s", Of: drained,
			Change: func(s *harness.Scenario) {
				s.App.PreStopSleep, s.App.PreStop, s.App.Grace = 0, fixtures.HookExec("/echo", "sleep", "5s"), 2*time.Second
				s.Expect = append(s.Expect, verdict.Between(evidence.PodDeleting, evidence.PodSigterm, 4500*time.Millisecond, 10*time.Second))
			}, Want: verdict.Fail, Cause: "between"},
	}
}

// expecting adds expectations to a scenario, which hold without the damage.
func expecting(more ...evidence.Expectation) func(*harness.Scenario) {
	return func(s *harness.Scenario) { s.Expect = append(s.Expect, more...) }
}

func deploymentChanged(change func(*appsv1.Deployment)) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		_, err := rollout.Edit(ctx, s.Cluster.Client().AppsV1().Deployments(s.Namespace), s.App.ResourceName(), change)
		return err
	}
}

func removedByForce(ctx context.Context, s disruption.Stage) error {
	pods := s.Cluster.Client().CoreV1().Pods(s.Namespace)
	return pods.Delete(ctx, s.Event.By.Pod, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

// hookKilled kills the preStop hook on the node of the event's pod. The hook is the app's program with an argument.
func hookKilled(ctx context.Context, s disruption.Stage) error {
	return onNodeOf(ctx, s, "pkill -KILL -f '^/echo sleep '")
}

// signalled runs a line of shell script on the node of the event's pod, with the pid of the pod's process in $pid.
func signalled(line string) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		return onNodeOf(ctx, s, disruption.EachProcess(s.Event.By.Pod, line))
	}
}

// onNodeOf runs a script on the node of the event's pod.
func onNodeOf(ctx context.Context, s disruption.Stage, text string) error {
	return disruption.Script(strings.TrimPrefix(s.Event.By.Node, s.Cluster.Name()+"-"), text)(ctx, s)
}
