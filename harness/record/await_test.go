package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAgentsAmong(t *testing.T) {
	pod := func(name, index string, phase corev1.PodPhase, isReady corev1.ConditionStatus) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{batchv1.JobCompletionIndexAnnotation: index}},
			Status:     corev1.PodStatus{Phase: phase, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: isReady}}},
		}
	}
	up := func(name, index string) corev1.Pod { return pod(name, index, corev1.PodRunning, corev1.ConditionTrue) }
	died := pod("agent-1-y", "1", corev1.PodFailed, corev1.ConditionFalse)
	died.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}}}
	for _, row := range []struct {
		sentence string
		pods     []corev1.Pod
		want     []string
		because  string
	}{
		{"both are ready, in any order", []corev1.Pod{up("agent-1-y", "1"), up("agent-0-x", "0")}, []string{"agent-0-x", "agent-1-y"}, ""},
		{"none was made yet", nil, []string{"", ""}, "agent 0 has no pod; agent 1 has no pod"},
		{"one waits for a node", []corev1.Pod{up("agent-0-x", "0"), pod("agent-1-y", "1", corev1.PodPending, corev1.ConditionFalse)},
			[]string{"agent-0-x", "agent-1-y"},
			"pod agent-1-y is Pending"},
		{"one died", []corev1.Pod{up("agent-0-x", "0"), died}, []string{"agent-0-x", "agent-1-y"},
			"pod agent-1-y is Failed (OOMKilled, exit code 137)"},
		{"one was replaced", []corev1.Pod{up("agent-0-x", "0"), up("agent-0-z", "0"), up("agent-1-y", "1")}, []string{"agent-0-z", "agent-1-y"},
			"pods agent-0-x and agent-0-z are both agent 0"},
		{"one too many", []corev1.Pod{up("agent-0-x", "0"), up("agent-1-y", "1"), up("agent-2-z", "2")}, []string{"agent-0-x", "agent-1-y"},
			"pod agent-2-z is none of the 2 agents"},
		{"one without an index", []corev1.Pod{up("agent-0-x", "0"), up("agent-y", "")}, []string{"agent-0-x", ""},
			"pod agent-y is none of the 2 agents; agent 1 has no pod"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			sorted, err := agentsAmong(row.pods, 2)
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
