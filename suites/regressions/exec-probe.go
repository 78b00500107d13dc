package regressions

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
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
