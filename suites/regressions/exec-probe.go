package regressions

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// execProbe: the kubelet goes on to ask a pod that terminates whether it is ready, by a program too. Where it ends such programs
// together with what started the pod, their answers are thrown away and the last one stays (Kubernetes v1.36.4,
// pkg/kubelet/prober/prober_manager.go, AddPod; fixed in v1.37.0 by context.WithoutCancel). Twin of
// termination/endpoint-failing-readiness, whose probe is an HTTP request.
func execProbe() harness.Scenario {
	const unready = "time from the pod's deletion until it was shown as not ready"
	// It serves on for longer than the bound below: when its container is dead, every version shows it as not ready.
	app := fixtures.App{Replicas: 1, ExecProbe: true, FailReadinessOnTerm: true, Linger: 15 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "exec-probe",
		Claim: "a pod whose app fails its readiness on SIGTERM is shown as not ready while it terminates, also where a program probes it",
		App:   app,
		Lasts: 35 * time.Second,
		Bug: shownBy(verdict.FactWithin(unready, 0, 0), evidence.Bug{
			Issue: 140881, Component: kubelet,
			Affected: []evidence.Releases{{Since: "1.35.0", Before: "1.36.0"}, {Since: "1.36.3", Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			background := metav1.DeletePropagationBackground
			err := steps.Client.AppsV1().Deployments(steps.Namespace).Delete(ctx, app.ResourceName(),
				metav1.DeleteOptions{PropagationPolicy: &background})
			if err != nil {
				return err
			}
			if err := steps.Until(ctx, observe.State.Leaving); err != nil {
				return err
			}
			deleted := time.Now()
			if err := steps.Until(ctx, func(s observe.State) bool { return !anyReady(s) }); err != nil {
				return err
			}
			steps.Note(unready, time.Since(deleted))
			return nil
		},
		Expect: []evidence.Expectation{
			// A kubelet that has time begins with a deletion within 2 s, and its probe has a period of 1 s and a program to start. The rest
			// is for one that has not; an app that is still asked after 15 s is another matter.
			verdict.FactWithin(unready, 0, 10*time.Second),
		},
	}
}

// anyReady reports whether any pod is shown as ready, also one that terminates.
func anyReady(s observe.State) bool {
	return slices.ContainsFunc(s.Pods, func(p observe.PodState) bool { return p.Ready })
}
