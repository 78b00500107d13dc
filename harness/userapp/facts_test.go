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
		{"none has the port, so the first", corev1.PodSpec{Containers: []corev1.Container{{Name: "config"}, {Name: "log"}}},
			evidence.UserApp{Answers: "config", Grace: 30 * time.Second}},
	} {
		if diff := cmp.Diff(row.want, userapp.FactsOf(row.spec, port)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}
