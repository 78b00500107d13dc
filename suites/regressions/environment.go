package regressions

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

// environments: a container starts whatever bytes its variables contain. Since 1.34 the encoding of the kubelet's request to the
// container runtime refuses a variable that is not UTF-8, so that a pod which ran for years does not start any more after it moves.
// The bytes may come from a Secret (Kubernetes v1.36.0, pkg/kubelet/kuberuntime/kuberuntime_container.go, generateContainerConfig),
// or from a dollar sign before a letter of several bytes, which its expansion cuts in two (v1.35.0,
// third_party/forked/golang/expansion/expand.go).
func environments() []harness.Scenario {
	const name, key = "binary", "bytes"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{key: {0xff, 0xfe}}}
	return []harness.Scenario{
		environment("environment-binary-secret", "a pod starts with a variable from a Secret that is no text", secret,
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
