package during

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/observe"
)

// A rollout that cannot end is no longer waited for. Until then the output says why it is, and at the end the last lines of a container.
func TestTheWaitForARolloutThatCannotEnd(t *testing.T) {
	exits := corev1.ContainerStatus{Name: "web", RestartCount: 2,
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}}}
	for _, row := range []struct {
		sentence   string
		status     corev1.PodStatus
		unfinished string
		each, last string // lines
		took       time.Duration
	}{
		{"no node takes a new pod", corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled,
			Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "no room"}}},
			"the rollout cannot end: no node takes pod web-2: no room",
			"waiting until the rollout is over: no node takes pod web-2: no room\n", "", 30 * time.Second},
		{"it exits again and again", corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{exits}},
			"the rollout cannot end: pod web-2: container web exited with code 1 (3 times)",
			"waiting until the rollout is over: pod web-2: container web exited with code 1 (3 times), restarts in a moment\n",
			"the last lines of container web in pod web-2:\n    fake logs\n", 30 * time.Second},
		{"it starts for ever", corev1.PodStatus{Phase: corev1.PodPending},
			"the rollout was not over for 10m0s: pod web-2 is not ready: it is Pending",
			"waiting until the rollout is over: pod web-2 is not ready: it is Pending\n", "", wholeLimit},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := labels.Set{"app": "web"}
				p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-2", Labels: web}, Status: row.status}
				client, selector := fake.NewClientset(readyNode("a"), p), labels.SelectorFromSet(web)
				var out strings.Builder
				m := &maintenance{screen: &screen{terminal: &out, log: io.Discard},
					app: &userApp{client: client, namespace: "shop", selector: selector}}
				m.app.follow(observe.Follow(t.Context(), client, "shop"))
				began := time.Now()
				cannot, late := m.awaitRollout(t.Context(), accepted)
				if (cannot != "") != strings.HasPrefix(row.unfinished, "the rollout cannot end") || cannot+late != row.unfinished {
					t.Errorf("it is unfinished since %q and %q, want %q", cannot, late, row.unfinished)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("waited for %v, want %v", took, row.took)
				}
				if want := strings.Repeat(row.each, int(row.took/sayEvery)) + row.last; out.String() != want {
					t.Errorf("said %q, want %q", out.String(), want)
				}
			})
		})
	}
}

// A command of --until that never succeeds ends the load, and the recording is inconclusive; any other goes on until it succeeds.
func TestUntil(t *testing.T) {
	const unknown = "error: unknown command \"wiat\" for \"kubectl\"\n\nDid you mean this?\n\twait\n"
	for _, row := range []struct {
		sentence, script string
		unfinished       string
	}{
		{"it succeeds", "true", ""},
		{"unknown command", "exec 2>&1; rollcall-none --now", "rollcall-none"},
		{"it cannot be run", "echo 'this is a folder'; exit 126", "this is a folder"},
		{"its command is misspelt", "printf '%s' '" + unknown + "' >&2; exit 1", `error: unknown command "wiat" for "kubectl"`},
		{"it says so, and succeeds", "printf '%s' '" + unknown + "'", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var out bytes.Buffer
			m := &maintenance{settings: settings{until: row.script}, screen: &screen{terminal: &out, log: io.Discard}}
			switch got := m.awaitOver(t.Context(), disruption.Stage{}); {
			case row.unfinished == "" && got != "":
				t.Errorf("it is %q", got)
			case row.unfinished != "" && (!strings.HasPrefix(got, "--until cannot succeed: ") || !strings.Contains(got, row.unfinished)):
				t.Errorf("it is %q, want %s", got, row.unfinished)
			}
		})
	}
}

func TestWhatNeverSucceeds(t *testing.T) {
	for _, row := range []struct {
		sentence string
		code     int
		printed  string
		want     string
	}{
		{"a flag that helm does not have", 1, "Error: unknown flag: --wiat\n", "Error: unknown flag: --wiat"},
		{"a short one, with usage below", 1, "error: unknown shorthand flag: 'x' in -x\nSee 'kubectl wait --help' for usage.\n",
			"error: unknown shorthand flag: 'x' in -x"},
		{"what is waited for is not there yet", 1, "error: no matching resources found\n", ""},
		{"it waited in vain", 1, "error: timed out waiting for the condition on pods/web-0\n", ""},
		{"the app prints the words", 1, "FAIL: worker said unknown command \"x\"\n", ""},
		{"nothing is printed", 1, "", ""},
		{"the shell knows no such command", notFound, "sh: 1: kubctl: not found\n", "sh: 1: kubctl: not found"},
	} {
		if got := neverSucceeds(row.code, row.printed); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
