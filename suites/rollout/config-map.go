package rollout

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// configMap: an object that a pod template names is no part of it. New content under the same name replaces no pod; another name,
// such as one that ends in a hash of the content, changes the template.
func configMap() harness.Scenario {
	const content, name = "other content", "another name"
	from := func(configMap string) *corev1.EnvVar {
		return &corev1.EnvVar{Name: "MORE", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Key: "more"}}}
	}
	app := fixtures.App{Replicas: 2, Env: from("settings")}
	return harness.Scenario{
		ID:    "config-map",
		Claim: "changing a ConfigMap's content replaces no pod and makes no revision; referring to one with another name does both",
		Uses:  []string{harness.AppObjects},
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			configMaps := steps.Client.CoreV1().ConfigMaps(steps.Namespace)
			write := func(name, value string) {
				harness.Must(configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
					Data: map[string]string{"more": value}}, metav1.CreateOptions{}))
			}
			write("settings", "1")
			steps.Deploy(ctx, app, "v1")
			first := steps.StayingPods(ctx)
			// Deleted and created again, for which there are rights: this is as much a change as an update.
			harness.Check(configMaps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=settings"}))
			write("settings", "2")
			steps.Pause(ctx, steadyAfter)
			noteStaying(ctx, steps, first, content)
			write("settings-2", "2")
			revise(ctx, steps, func(d *appsv1.Deployment) {
				next := app
				next.Env = from("settings-2")
				to(steps, next, "v1")(d)
			})
			noteStaying(ctx, steps, first, name)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("after "+content, "revision 1, 2 of 2 first pods"),
			verdict.Fact("after "+name, "revision 2, 0 of 2 first pods"),
		},
	}
}
