package regressions

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

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
