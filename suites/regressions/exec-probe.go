package regressions

import (
	"context"
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
	// It serves on for longer than the bound below: when its container is dead, every version shows it as not ready.
	app := fixtures.App{Replicas: 1, ExecProbe: true, FailReadinessOnTerm: true, Linger: 15 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "exec-probe",
		Claim: "a pod whose app fails its readiness on SIGTERM is shown as not ready while it terminates, also where a program probes it",
		App:   app,
		Lasts: 35 * time.Second,
		Bug: &evidence.Bug{
			Issue: 140881, Component: kubelet,
			Affected: []evidence.Releases{{Since: "1.35.0", Before: "1.36.0"}, {Since: "1.36.3", Before: "1.37.0"}}, Fixed: "1.37.0",
			Rule: verdict.Between("", "", 0, 0).Rule,
		},
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
			return steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 && len(s.Endpoints) == 0 })
		},
		Expect: []evidence.Expectation{
			// The probe's period is 1 s; a program takes up to a second to start on 2 busy cores.
			verdict.Between(evidence.PodSigterm, evidence.PodUnready, 0, 5*time.Second),
		},
	}
}
