package staging

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

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
