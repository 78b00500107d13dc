package userapp_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/userapp"
)

// Advice is about the container that has the Service's port, wherever it stands in the pod.
func TestFactsAreOfTheContainerThatAnswers(t *testing.T) {
	slept := &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 7}}}
	web := corev1.Container{Name: "web", Ports: []corev1.ContainerPort{{ContainerPort: 8080}}, ReadinessProbe: &corev1.Probe{}}
	hooked := web
	hooked.Lifecycle = slept
	stopping := web
	stopping.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"stop"}}}}
	always := func(c corev1.Container) corev1.Container {
		c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		return c
	}
	port := corev1.ServicePort{Port: 80, TargetPort: intstr.FromInt32(8080)}
	for _, row := range []struct {
		sentence string
		spec     corev1.PodSpec
		want     evidence.UserApp
	}{
		{"the second one, and the first has the hook", corev1.PodSpec{Containers: []corev1.Container{{Name: "config", Lifecycle: slept}, web}},
			evidence.UserApp{Answers: "web", Probed: true, Grace: 30 * time.Second, Unhooked: []string{"web"}}},
		{"the only one", corev1.PodSpec{Containers: []corev1.Container{hooked}, TerminationGracePeriodSeconds: new(int64(60))},
			evidence.UserApp{Answers: "web", Probed: true, PreStop: 7 * time.Second, Grace: time.Minute}},
		{"a native sidecar before it, which ends after the app: the app's hook keeps it up", corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "copy", Ports: web.Ports}, always(web)},
			Containers:     []corev1.Container{{Name: "app", Lifecycle: slept}}},
			evidence.UserApp{Answers: "web", Probed: true, PreStop: 7 * time.Second, Grace: 30 * time.Second}},
		{"its own hook of another kind runs at once", corev1.PodSpec{InitContainers: []corev1.Container{always(stopping)},
			Containers: []corev1.Container{{Name: "app"}}},
			evidence.UserApp{Answers: "web", Probed: true, OtherHook: true, Grace: 30 * time.Second, Unhooked: []string{"app"}}},
		{"a native sidecar beside the one that answers needs no hook", corev1.PodSpec{InitContainers: []corev1.Container{
			always(corev1.Container{Name: "log"})}, Containers: []corev1.Container{hooked}},
			evidence.UserApp{Answers: "web", Probed: true, PreStop: 7 * time.Second, Grace: 30 * time.Second}},
		{"none has the port, so the first", corev1.PodSpec{Containers: []corev1.Container{{Name: "config"}, {Name: "log"}}},
			evidence.UserApp{Answers: "config", Grace: 30 * time.Second}},
	} {
		if diff := cmp.Diff(row.want, userapp.FactsOf(row.spec, port)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

// A port's name is looked for as the EndpointSlice controller does: in plain containers, then in native sidecars, and in no other.
func TestPortNumber(t *testing.T) {
	with := func(name string, number int32) corev1.Container {
		return corev1.Container{Name: name, Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: number}}}
	}
	sidecar := with("proxy", 8081)
	sidecar.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	for _, row := range []struct {
		sentence string
		spec     corev1.PodSpec
		want     int32
		answers  string
	}{
		{"a plain container", corev1.PodSpec{Containers: []corev1.Container{{Name: "log"}, with("web", 8080)}}, 8080, "web"},
		{"a native sidecar", corev1.PodSpec{InitContainers: []corev1.Container{with("copy", 1), sidecar},
			Containers: []corev1.Container{{Name: "app"}}}, 8081, "proxy"},
		{"both", corev1.PodSpec{InitContainers: []corev1.Container{sidecar}, Containers: []corev1.Container{with("web", 8080)}}, 8080, "web"},
		{"an init container has ended by then", corev1.PodSpec{InitContainers: []corev1.Container{with("copy", 1)},
			Containers: []corev1.Container{{Name: "app"}}}, 0, "app"},
	} {
		port := corev1.ServicePort{Port: 80, TargetPort: intstr.FromString("web")}
		if got := userapp.PortNumber(row.spec, port.TargetPort); got != row.want {
			t.Errorf("%s: port %d, want %d", row.sentence, got, row.want)
		}
		if got := userapp.Answers(row.spec, port).Name; got != row.answers {
			t.Errorf("%s: %s answers, want %s", row.sentence, got, row.answers)
		}
	}
}
