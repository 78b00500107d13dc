package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/evidence"
)

// secondOfDay returns a moment of a day, in whole seconds as in the API.
func secondOfDay(n int) metav1.Time { return metav1.Unix(1_800_000_000+int64(n), 0) }

func endedAt(n int, code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: secondOfDay(n)}}
}

func TestEndsOfContainers(t *testing.T) {
	type status = corev1.ContainerStatus
	type end struct {
		Container string
		Code      int
		Reason    string
		For       time.Duration
	}
	pod := func(deletion int, grace int64, statuses ...status) *corev1.Pod {
		p := somePod("a", corev1.ConditionTrue)
		if grace > 0 {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = new(secondOfDay(deletion)), &grace
		}
		p.Spec.InitContainers = []corev1.Container{{Name: "copy"}, {Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
		for _, s := range statuses {
			if s.Name == "web" {
				p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, s)
			} else {
				p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, s)
			}
		}
		return p
	}
	killed := status{Name: "web", State: endedAt(20, 137, "Error")}
	for _, row := range []struct {
		sentence string
		existed  bool
		seen     []*corev1.Pod
		last     *corev1.Pod // as it leaves the API; nil: it stays
		want     []end
	}{
		{"it runs", false, []*corev1.Pod{pod(0, 0, status{Name: "web", State: running})}, nil, nil},
		{"it was restarted, and that is reported twice", false, []*corev1.Pod{
			pod(0, 0, status{Name: "web", State: endedAt(5, 1, "Error")}),
			pod(0, 0, status{Name: "web", State: running, RestartCount: 1, LastTerminationState: endedAt(5, 1, "Error")}),
		}, nil, []end{{"web", 1, "Error", 0}}},
		{"it ended twice between two reports", false, []*corev1.Pod{
			pod(0, 0, status{Name: "web", State: endedAt(7, 137, "OOMKilled"), LastTerminationState: endedAt(5, 1, "Error")}),
		}, nil, []end{{"web", 1, "Error", 0}, {"web", 137, "OOMKilled", 0}}},
		{"it ended before the watch began", true, []*corev1.Pod{
			pod(0, 0, status{Name: "web", State: running, LastTerminationState: endedAt(5, 1, "Error")}),
			pod(0, 0, status{Name: "web", State: endedAt(9, 2, "Error"), LastTerminationState: endedAt(5, 1, "Error")}),
		}, nil, []end{{"web", 2, "Error", 0}}},
		{"it was killed at the end of its grace period, as the last report says", false,
			[]*corev1.Pod{pod(20, 20, status{Name: "web", State: running})}, pod(20, 20, killed), []end{{"web", 137, "Error", 20 * time.Second}}},
		{"the grace period gets shorter, which moves its end", false,
			[]*corev1.Pod{pod(20, 20, status{Name: "web", State: running}), pod(21, 1, killed)}, nil,
			[]end{{"web", 137, "Error", 20 * time.Second}}},
		{"it ended before the deletion", false, []*corev1.Pod{pod(60, 20, killed)}, nil, []end{{"web", 137, "Error", 0}}},
		{"a sidecar ends after the app, an init container before it", false, []*corev1.Pod{
			pod(0, 0, status{Name: "copy", State: endedAt(1, 0, "Completed")}),
			pod(30, 20, status{Name: "copy", State: endedAt(1, 0, "Completed")}, status{Name: "web", State: endedAt(12, 0, "Completed")},
				status{Name: "proxy", State: endedAt(13, 143, "Error")}),
		}, nil, []end{{"proxy", 143, "Error", 3 * time.Second}, {"web", 0, "Completed", 2 * time.Second}}},
	} {
		sink := newMemorySink()
		w := newWatch(time.Now(), sink, byLabel(version), "echo")
		for i, p := range row.seen {
			w.pods.see(p, row.existed && i == 0)
		}
		if row.last != nil {
			w.pods.lose(row.last)
		}
		var got []end
		for _, e := range sink.eventsFrom(0) {
			if e.Kind == evidence.ContainerEnded {
				got = append(got, end{e.Object, e.Count, e.Detail, e.For})
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

// Who made a pod, and why it is disrupted, are in its events.
func TestWhoMadeAPodAndWhyItEnds(t *testing.T) {
	pod := func(name, ofApp string, condition corev1.ConditionStatus) *corev1.Pod {
		p := somePod(name, corev1.ConditionFalse)
		p.Labels, p.OwnerReferences = map[string]string{version: ofApp}, []metav1.OwnerReference{{Kind: "Queue", Name: "other"},
			{Kind: "ReplicaSet", Name: "web-7f9c", Controller: new(true)}}
		if ofApp == "" {
			p.Labels = nil
		}
		p.DeletionTimestamp = new(secondOfDay(0))
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: condition,
			Reason: "EvictionByEvictionAPI"})
		return p
	}
	bare := somePod("bare", corev1.ConditionFalse)
	w := newWorld(t)
	w.pods.see(pod("evicted", "v1", corev1.ConditionTrue), false)
	w.notes("evicted", "pod-created ReplicaSet/web-7f9c", "pod-deleting evicted EvictionByEvictionAPI")
	w.pods.see(pod("deleted", "v1", corev1.ConditionFalse), false)
	w.notes("an eviction that did not happen, and a deletion", "pod-created ReplicaSet/web-7f9c", "pod-deleting deleted")
	w.pods.see(pod("other", "", corev1.ConditionTrue), false)
	w.notes("of another workload", "other-pod-deleting ReplicaSet/web-7f9c")
	w.pods.see(bare, false)
	w.notes("without a controller", "pod-created bare")
}
