package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/observe"
)

func TestOneOnEach(t *testing.T) {
	pod := func(name, node string, phase corev1.PodPhase, isReady corev1.ConditionStatus) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.PodSpec{NodeName: node},
			Status:     corev1.PodStatus{Phase: phase, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: isReady}}},
		}
	}
	up := func(name, node string) corev1.Pod { return pod(name, node, corev1.PodRunning, corev1.ConditionTrue) }
	died := pod("agent-y", "b", corev1.PodFailed, corev1.ConditionFalse)
	died.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}}}
	for _, row := range []struct {
		sentence string
		pods     []corev1.Pod
		want     []string
		because  string
	}{
		{"both are ready, in any order", []corev1.Pod{up("agent-y", "b"), up("agent-x", "a")}, []string{"agent-x", "agent-y"}, ""},
		{"none was made yet", nil, []string{"", ""}, "a has no pod; b has no pod"},
		{"one is pending on its node", []corev1.Pod{up("agent-x", "a"), pod("agent-y", "b", corev1.PodPending, corev1.ConditionFalse)},
			[]string{"agent-x", "agent-y"}, "pod agent-y is Pending"},
		{"one waits for its node", []corev1.Pod{up("agent-x", "a"), pod("agent-y", "", corev1.PodPending, corev1.ConditionFalse)},
			[]string{"agent-x", ""}, "pod agent-y has no node yet; b has no pod"},
		{"one died", []corev1.Pod{up("agent-x", "a"), died}, []string{"agent-x", "agent-y"},
			"pod agent-y is Failed (OOMKilled, exit code 137)"},
		{"one was replaced", []corev1.Pod{up("agent-x", "a"), up("agent-z", "a"), up("agent-y", "b")}, []string{"agent-z", "agent-y"},
			"pods agent-x and agent-z are both on a"},
		{"one too many", []corev1.Pod{up("agent-x", "a"), up("agent-y", "b"), up("agent-z", "c")}, []string{"agent-x", "agent-y"},
			"pod agent-z is on c, which should have none"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			sorted, err := oneOnEach([]string{"a", "b"}, row.pods, observe.Ready)
			var got []string
			for _, pod := range sorted {
				got = append(got, pod.Name)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			if because := errorText(err); because != row.because {
				t.Errorf("late because %q, want %q", because, row.because)
			}
		})
	}
}
