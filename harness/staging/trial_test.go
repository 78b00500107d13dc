package staging

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
)

// What the wait for pods says is why they are not ready, and for how long.
func TestAwaitReady(t *testing.T) {
	pod := func(name string, ready corev1.ConditionStatus, state corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{fixtures.NameLabel: fixtures.TrialName}},
			Spec:       corev1.PodSpec{NodeName: "a"},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: "echo", Image: "echo:1", State: state}}},
		}
	}
	ready := pod("1", corev1.ConditionTrue, corev1.ContainerState{})
	waiting := pod("2", corev1.ConditionFalse, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}})
	for _, row := range []struct {
		sentence string
		objects  []runtime.Object
		says     string
		after    time.Duration
	}{
		{"all are ready", []runtime.Object{ready, pod("2", corev1.ConditionTrue, corev1.ContainerState{})}, "", 0},
		{"an image cannot be pulled", []runtime.Object{ready, waiting}, "node a: container echo, image echo:1: ImagePullBackOff, for 50s",
			imageTimeout},
		{"one was not made", []runtime.Object{ready}, "1 of 2 pods were made, for 50s", imageTimeout},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				says, err := awaitReady(t.Context(), fake.NewClientset(row.objects...), "ns", fixtures.NameLabel+"="+fixtures.TrialName, 2)
				if says != row.says || err != nil {
					t.Errorf("%q, %v; want %q", says, err, row.says)
				}
				if took := time.Since(began); took != row.after {
					t.Errorf("after %v, want %v", took, row.after)
				}
			})
		})
	}
}

// PodStatus says why a pod does not run, with its node.
func TestPodStatus(t *testing.T) {
	waiting := func(reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "echo", Image: "reg/echo@sha256:1",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
	}
	for _, row := range []struct {
		sentence string
		pod      corev1.Pod
		want     string
	}{
		{"an image cannot be pulled", corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waiting("ImagePullBackOff", "no such\nhost")}}},
			"node a: container echo, image reg/echo@sha256:1: ImagePullBackOff: no such host"},
		{"the first image, while the others wait for it", corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}, Status: corev1.PodStatus{
			InitContainerStatuses: []corev1.ContainerStatus{waiting("ErrImagePull",
				"")}, ContainerStatuses: []corev1.ContainerStatus{waiting("PodInitializing", "")}}},
			"node a: container echo, image reg/echo@sha256:1: ErrImagePull"},
		{"no node takes it", corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Status: corev1.ConditionFalse,
			Message: "0/3 nodes: too little memory"}}}},
			"no node takes pod : 0/3 nodes: too little memory"},
		{"it is slow", corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}, Status: corev1.PodStatus{Phase: corev1.PodPending}},
			"node a: its pod is Pending"},
	} {
		if got := PodStatus(row.pod); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
