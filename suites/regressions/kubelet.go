package regressions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

// execProbe: the kubelet keeps probing the readiness of a terminating pod, also with a program. Where it ends these programs
// together with the context that started the pod, their results are dropped and the last one stays (Kubernetes v1.36.4,
// pkg/kubelet/prober/prober_manager.go, AddPod; fixed in v1.37.0 by context.WithoutCancel). Twin of
// termination/endpoint-failing-readiness, whose probe is an HTTP request.
func execProbe() harness.Scenario {
	const unready = "time from the pod's deletion until it was shown as not ready"
	// It serves for longer than the bound below: once its container is dead, every version shows it as not ready.
	app := fixtures.App{Replicas: 1, ExecProbe: true, FailReadinessOnTerm: true, Linger: 15 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "exec-probe",
		Claim: "a pod whose app fails its readiness on SIGTERM is shown as not ready while it terminates, also where a program probes it",
		App:   app,
		Bug: shownBy(verdict.FactWithin(unready, 0, 0), evidence.Bug{
			Issue: 140881, Component: kubelet,
			Affected: []evidence.Releases{{Since: "1.35.0", Before: "1.36.0"}, {Since: "1.36.3", Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Kind: harness.InSteps{Lasts: 35 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			background := metav1.DeletePropagationBackground
			harness.Check(steps.Client.AppsV1().Deployments(steps.Namespace).Delete(ctx, app.ResourceName(),
				metav1.DeleteOptions{PropagationPolicy: &background}))
			steps.Until(ctx, observe.State.Leaving)
			deleted := time.Now()
			steps.Until(ctx, func(s observe.State) bool { return !anyReady(s) })
			steps.Note(unready, time.Since(deleted))
		}},
		Expect: []evidence.Expectation{
			// A kubelet waits up to 2 s until its cache has the pod's state before it ends the pod (v1.37.2, pkg/kubelet/pod_workers.go,
			// podWorkerLoop), up to 1 s for the probe's turn, and half a second for the probe. The rest is for starting the probe's program
			// and for writing the status, which waits for nothing.
			verdict.FactWithin(unready, 0, 5*time.Second),
		},
	}
}

// anyReady reports whether any pod is shown as ready, even a terminating one.
func anyReady(s observe.State) bool {
	return slices.ContainsFunc(s.Pods, func(p observe.PodState) bool { return p.Ready })
}

// kubeletRestart: a kubelet that restarts does not know the results of its probes. Before 1.35 it counts each pod as not ready
// until its first probe, which it delays by a random part of the probe's period (Kubernetes v1.34.2, pkg/kubelet/prober/worker.go,
// doProbe; since v1.35.0 a container that was started more than 10 s before the kubelet keeps its state from the API). At least one
// of three pods is shown as not ready then: the chance that all are probed in the first 4 of 30 s is 0.2 %.
func kubeletRestart() harness.Scenario {
	const (
		unready = "pods shown as not ready after their kubelet was started again"
		lost    = "requests after the kubelet was started again that were answered"
		older   = 12 * time.Second // more than the 10 s of worker.go
		// A kubelet reports a pod when it handles it next, so the pods are touched repeatedly, beginning before it is back after 2 to 4
		// s.
		touches, between = 7, 2 * time.Second
	)
	app := fixtures.App{Replicas: 3, ProbePeriod: 30 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:        "kubelet-restart",
		Claim:     "pods that are ready stay so, and serve, while their kubelet is started again",
		App:       app,
		Exclusive: true,
		Uses:      []string{cluster.ClusterChanges},
		Bug: byFact(unready, evidence.Bug{
			Issue: 100277, Component: kubelet,
			Affected: []evidence.Releases{{Before: "1.35.0"}}, Fixed: "1.35.0",
		}),
		Kind: harness.InSteps{Lasts: 55 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			workers := steps.Workers(ctx)
			on := app
			on.Nodes = workers[:1]
			steps.Deploy(ctx, on, "v1")
			service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{}))
			client := steps.RequestFrom(ctx, workers[len(workers)-1], fixtures.HTTPURL(service))
			steps.Pause(ctx, older)
			begun := time.Now()
			var restart errgroup.Group
			restart.Go(func() error { return change.RestartKubelet(ctx, ours, on.Nodes[0]) })
			steps.Cleanup(func(context.Context) error { return restart.Wait() })
			shown := map[string]bool{}
			for n := range touches {
				touchPods(ctx, steps, n)
				steps.Within(ctx, between, func(s observe.State) bool {
					for _, p := range s.Pods {
						if !p.Ready {
							shown[p.Pod] = true
						}
					}
					return false
				})
			}
			harness.Check(restart.Wait())
			steps.Note(unready, fmt.Sprintf("%d of %d", len(shown), app.Replicas))
			steps.Note(lost, tally(since(client.Requests(ctx), begun), harness.Good))
		}},
		Expect: []evidence.Expectation{verdict.Fact(unready, "0 of 3"), verdict.Fact(lost, all).ByClients()},
	}
}

// touchPods annotates the app's pods with a number: a kubelet handles a pod that changes.
func touchPods(ctx context.Context, steps *harness.Steps, n int) {
	pods := steps.Client.CoreV1().Pods(steps.Namespace)
	for _, pod := range steps.Pods(ctx) {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"rollcall.local/touched":"%d"}}}`, n)
		harness.Must(pods.Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}))
	}
}

// sidecar: a restarted kubelet does not know that a sidecar with a startup probe has started. Releases 1.35.0 to 1.35.3 then never
// count the pod as initialised, and do not restart its app when it ends (Kubernetes v1.35.3,
// pkg/kubelet/kuberuntime/kuberuntime_container.go, computeInitContainerActions; in v1.36.0 prober/worker.go reports that it has
// started).
func sidecar() harness.Scenario {
	const (
		restarted = "the app's container 30 s after it was killed"
		older     = 20 * time.Second // more than the 10 s for which a kubelet takes a container for just started
		known     = 10 * time.Second // for the kubelet to learn of its pods
		limit     = 30 * time.Second // the first restart of a container has no back-off
	)
	app := fixtures.App{Replicas: 1, Sidecar: true, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:        "sidecar",
		Claim:     "an app with a sidecar is restarted when it crashes after a restart of its kubelet",
		App:       app,
		Exclusive: true,
		Uses:      []string{cluster.ClusterChanges},
		Bug: byFact(restarted, evidence.Bug{
			Issue: 136910, Component: kubelet, Affected: []evidence.Releases{{Since: "1.35.0", Before: "1.35.4"}}, Fixed: "1.35.4",
		}),
		Kind: harness.InSteps{Lasts: 60 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			steps.Deploy(ctx, app, "v1")
			steps.Pause(ctx, older)
			pod := onlyPod(ctx, steps)
			harness.Check(change.RestartKubelet(ctx, ours, pod.Spec.NodeName))
			steps.Pause(ctx, known)
			_, id, _ := strings.Cut(pod.Status.ContainerStatuses[0].ContainerID, "://")
			harness.Must(ours.Exec(ctx, pod.Spec.NodeName, "ctr --namespace k8s.io task kill --signal SIGKILL "+id))
			harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) { // it may be ready again before a watch sees that it was not
				is := onlyPod(ctx, steps).Status.ContainerStatuses[0]
				return !is.Ready || is.RestartCount > 0, nil
			}))
			steps.Within(ctx, limit, func(s observe.State) bool { return s.Available("v1") == 1 })
			pod = onlyPod(ctx, steps)
			steps.Note(restarted, containerState(pod.Status.ContainerStatuses[0]))
		}},
		Expect: []evidence.Expectation{verdict.Fact(restarted, "running, ready, 1 restart")},
	}
}

// containerState returns a text like "terminated, not ready, 0 restarts".
func containerState(c corev1.ContainerStatus) string {
	state := "waiting"
	switch {
	case c.State.Running != nil:
		state = "running"
	case c.State.Terminated != nil:
		state = "terminated"
	}
	if c.Ready {
		state += ", ready"
	} else {
		state += ", not ready"
	}
	if c.RestartCount == 1 {
		return state + ", 1 restart"
	}
	return fmt.Sprintf("%s, %d restarts", state, c.RestartCount)
}

// environments: a container starts whatever bytes its variables contain. Since 1.34 the encoding of the kubelet's request to the
// container runtime refuses a variable that is not UTF-8, so that a pod which ran for years does not start any more after it moves.
// The bytes may come from a Secret (Kubernetes v1.36.0, pkg/kubelet/kuberuntime/kuberuntime_container.go, generateContainerConfig),
// or from a dollar sign before a letter of several bytes, which its expansion cuts in two (v1.35.0,
// third_party/forked/golang/expansion/expand.go).
func environments() []harness.Scenario {
	const name, key = "binary", "bytes"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{key: {0xff, 0xfe}}}
	return []harness.Scenario{
		environment("environment-binary-secret", "a pod starts with a variable from a Secret that is not text", secret,
			corev1.EnvVar{Name: "BINARY", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key}}},
			evidence.Bug{Issue: 139132, Component: kubelet, Affected: []evidence.Releases{{Since: "1.34.0", Before: "1.34.9"},
				{Since: "1.35.0", Before: "1.35.6"}, {Since: "1.36.0", Before: "1.36.2"}}, Fixed: "1.36.2"}),
		environment("environment-dollar", "a pod starts with a variable that has a dollar sign before an accented letter", nil,
			corev1.EnvVar{Name: "DOLLAR", Value: "$é"},
			evidence.Bug{Issue: 136323, Component: kubelet, Affected: []evidence.Releases{{Since: "1.34.0", Before: "1.34.4"},
				{Since: "1.35.0", Before: "1.35.1"}}, Fixed: "1.35.1"}),
	}
}

// environment returns a scenario with a variable in the app's container, and the Secret that the variable is from, if any.
func environment(id, claim string, secret *corev1.Secret, env corev1.EnvVar, bug evidence.Bug) harness.Scenario {
	const waiting = "what a container waits for"
	app := fixtures.App{Replicas: 2, Env: &env, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID: id, Claim: claim, App: app, Bug: byFact(waiting, bug),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			if secret != nil {
				ours := &corev1.Secret{ObjectMeta: steps.Into.Object(secret.Name), Data: secret.Data}
				harness.Must(steps.Client.CoreV1().Secrets(steps.Namespace).Create(ctx, ours, metav1.CreateOptions{}))
			}
			deployments := steps.Client.AppsV1().Deployments(steps.Namespace)
			harness.Must(deployments.Create(ctx, app.Deployment(steps.Into, "v1"), metav1.CreateOptions{}))
			steps.Note(waiting, startError(ctx, steps, app))
		}},
		Expect: []evidence.Expectation{verdict.Fact(waiting, "nothing")},
	}
}

// startError returns "nothing" when every replica is ready, or the first error by which a kubelet could not create a container,
// with its node. It waits for whatever else keeps a pod from starting.
func startError(ctx context.Context, steps *harness.Steps, app fixtures.App) (why string) {
	harness.Check(poll.Until(ctx, time.Second, func() (bool, error) {
		ready := 0
		for _, pod := range steps.Pods(ctx) {
			if observe.Ready(&pod) {
				ready++
			}
			for _, c := range pod.Status.ContainerStatuses {
				if w := c.State.Waiting; w != nil && w.Reason == "CreateContainerError" {
					why = w.Reason + " on " + pod.Spec.NodeName + ": " + w.Message
					return true, nil
				}
			}
		}
		why = "nothing"
		return ready == int(app.Replicas), nil
	}))
	return why
}
