package standstill

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/observe"
)

// ofContainer has an Event be about container web.
func ofContainer(e *corev1.Event) *corev1.Event {
	e.InvolvedObject.FieldPath = "spec.containers{web}"
	return e
}

// withInit gives a pod an init container with a status.
func withInit(status corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		waitsFor("PodInitializing", "")(p)
		p.Status.InitContainerStatuses = []corev1.ContainerStatus{status}
	}
}

// What one look says of a pod that is not ready.
func TestWhatIsTheMatter(t *testing.T) {
	const unhealthy = "Readiness probe failed: HTTP probe failed with statuscode: 502"
	fails := ofContainer(later(5, standEvent("Pod", "web-2", "Unhealthy", unhealthy, 9)))
	for _, row := range []struct {
		sentence string
		edit     func(*corev1.Pod)
		events   []runtime.Object
		kind     Kind
		want     string
	}{
		{"its container exited", exited(1, 1, "Error"), nil, Exited, "pod web-2: container web exited with code 1, restarts in a moment"},
		{"again", exited(2, 1, "Error"), nil, Exited, "pod web-2: container web exited with code 1 (2 times), restarts in a moment"},
		{"for lack of memory", exited(2, 137, "OOMKilled"), nil, Exited,
			"pod web-2: container web exited with code 137 (OOMKilled, 2 times), restarts in a moment"},
		{"by a signal", exited(1, 139, "Error"), nil, Exited,
			"pod web-2: container web exited with code 139 (signal 11), restarts in a moment"},
		{"with a code that is no signal's", exited(1, 255, "Error"), nil, Exited,
			"pod web-2: container web exited with code 255, restarts in a moment"},
		{"since it was done", exited(1, 0, "Completed"), nil, Exited,
			"pod web-2: container web exited with code 0 (Completed), restarts in a moment"},
		{"just now", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", RestartCount: 1, State: exit(2, "Error")}}
		}, nil, Exited, "pod web-2: container web exited with code 2 (2 times), restarts in a moment"},
		{"and runs again", runs(1), nil, Exited, "pod web-2: container web exited with code 1, and runs again"},
		{"it could not be started", func(p *corev1.Pod) {
			exited(1, 128, "StartError")(p)
			p.Status.ContainerStatuses[0].LastTerminationState.Terminated.Message = "exec: \"/app\": not found,\npassword=s3cret"
		}, nil, Exited, `pod web-2: container web exited with code 128 (StartError), restarts in a moment: exec: "/app": not found, ` +
			"password=(withheld)"},
		{"an init container exited", withInit(corev1.ContainerStatus{Name: "migrate", State: exit(1, "Error")}), nil, Exited,
			"pod web-2: container migrate exited with code 1, restarts in a moment"},
		{"an init container has done its work, after a failure", withInit(corev1.ContainerStatus{Name: "migrate", Ready: true, RestartCount: 1,
			State: exit(0, "Completed")}), nil, Starting, "pod web-2: container web is waiting: PodInitializing"},
		{"another container has restarted and is ready", func(p *corev1.Pod) {
			runs(0)(p)
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: "proxy", Ready: true, RestartCount: 4,
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: exit(1, "Error")})
		}, nil, Starting, "pod web-2: container web is running, and not ready"},
		{"its probe fails", runs(0), objects(fails), ProbeFails,
			"pod web-2: container web is not ready: readiness probe failed: HTTP probe failed with statuscode: 502"},
		{"its probe failed otherwise before", runs(0), objects(fails, ofContainer(later(4, standEvent("Pod", "web-2", "Unhealthy",
			"Readiness probe failed: dial tcp 10.0.0.7:80: connect: connection refused", 25)))), ProbeFails,
			"pod web-2: container web is not ready: readiness probe failed: HTTP probe failed with statuscode: 502"},
		{"that of another pod fails", runs(0), objects(ofContainer(standEvent("Pod", "web-1", "Unhealthy", unhealthy, 9))), Starting,
			"pod web-2: container web is running, and not ready"},
		{"its image is being pulled", waitsFor("ContainerCreating", ""), objects(standEvent("Pod", "web-2", "Pulling", `Pulling image "web:3"`, 1)),
			Starting, `pod web-2: container web is waiting: ContainerCreating: Pulling image "web:3"`},
		{"it gets no network", waitsFor("ContainerCreating", ""), objects(warning(later(2, standEvent("Pod", "web-2", "FailedCreatePodSandBox",
			"no IP left", 1))), later(1, standEvent("Pod", "web-2", "Scheduled", "assigned", 1))),
			Starting, "pod web-2: container web is waiting: ContainerCreating: no IP left"},
		{"what was warned of is over", waitsFor("ContainerCreating", ""), objects(warning(later(1, standEvent("Pod", "web-2", "FailedScheduling",
			noRoomLeft, 1))), later(2, standEvent("Pod", "web-2", "Scheduled", "assigned", 1))),
			Starting, "pod web-2: container web is waiting: ContainerCreating"},
		{"it waits for a gate", func(p *corev1.Pod) {
			p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/registered"}}
		}, nil, Starting, "pod web-2 is not ready: its readiness gate example.com/registered is not true"},
		{"a probe had it restarted", runs(1), objects(ofContainer(standEvent("Pod", "web-2", "Killing",
			"Container web failed startup probe, will be restarted", 1))), SlowStart,
			"pod web-2 does not get ready: Container web failed startup probe, will be restarted"},
		{"it is ready", isReady, objects(fails), "", ""},
		{"it is not started again", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, objects(fails), "", ""},
		{"it is terminating", all(exited(3, 1, "Error"), func(p *corev1.Pod) {
			p.DeletionTimestamp, p.Finalizers = new(metav1.Now()), []string{"x"}
		}), nil, "", ""},
		{"the API server takes no pod", isReady, objects(standEvent("ReplicaSet", "web-7f", "FailedCreate", overQuota, 1)), Refused,
			"FailedCreate: " + overQuota},
		{"it has taken one since", isReady, objects(later(1, standEvent("ReplicaSet", "web-7f", "FailedCreate", overQuota, 1)),
			later(2, standEvent("ReplicaSet", "web-7f", "SuccessfulCreate", "", 1))), "", ""},
		{"a URL of a message has a password", waitsFor("ErrImagePull", "get https://a:s3cret@reg/v2: timeout"), nil, NotPulled,
			"pod web-2: container web is waiting: ErrImagePull: get https://(withheld)@reg/v2: timeout"},
		{"a message has no end", waitsFor("ErrImagePull", strings.Repeat("no route ", 99)), nil, NotPulled,
			"pod web-2: container web is waiting: ErrImagePull: " + strings.TrimSpace(strings.Repeat("no route ", 22)) + "…"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(append(row.events, readyNode("a"), standPod("web-2", row.edit))...)
				s := New(observe.Follow(t.Context(), client, "shop"), labels.SelectorFromSet(labels.Set{"app": "web"}), "web")
				if o := s.Look(); o.Kind != row.kind || o.String() != row.want || o.ForGood {
					t.Errorf("%s %q, %t; want %s %q", o.Kind, o, o.ForGood, row.kind, row.want)
				}
			})
		})
	}
}

func warning(e *corev1.Event) *corev1.Event {
	e.Type = corev1.EventTypeWarning
	return e
}

// Of several obstacles the most telling is said, whichever pod has it.
func TestTheMostTellingObstacle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(readyNode("a"), standPod("web-1", runs(0)), standPod("web-2", runs(0)),
			standPod("web-3", exited(1, 1, "Error")), ofContainer(standEvent("Pod", "web-2", "Unhealthy", "Readiness probe failed: no", 1)))
		s := New(observe.Follow(t.Context(), client, "shop"), labels.SelectorFromSet(labels.Set{"app": "web"}), "web")
		if got, want := s.Look().String(), "pod web-3: container web exited with code 1, restarts in a moment"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestProgress(t *testing.T) {
	const waits = "waiting for the app, for 15s: deployment web has 0 of 3 pods available"
	exits := Obstacle{Kind: Exited, Pod: "web-1", Container: "web", ExitCode: 1, Times: 2}
	long := exits
	long.Pod, long.Message = "web-5d8f7c9b6d-x2x2x", strings.Repeat("no route ", 9)
	for _, row := range []struct {
		sentence, line string
		why            []Obstacle
		want           string
	}{
		{"no obstacle is known", "waiting", []Obstacle{{}}, "waiting"},
		{"it fits the line", "waiting", []Obstacle{exits},
			"waiting: pod web-1: container web exited with code 1 (2 times), restarts in a moment"},
		{"it does not", waits, []Obstacle{exits},
			waits + "\n    pod web-1: container web exited with code 1 (2 times), restarts in a moment"},
		{"nor does it fit one of its own: the message is cut, and not the names", waits, []Obstacle{long},
			waits + "\n    pod web-5d8f7c9b6d-x2x2x: container web exited with code 1 (2 times), restarts in a moment: no route no route no…"},
		{"there are two", "waiting", []Obstacle{exits, {}, exits}, "waiting\n" +
			"    pod web-1: container web exited with code 1 (2 times), restarts in a moment\n" +
			"    pod web-1: container web exited with code 1 (2 times), restarts in a moment"},
	} {
		got := Progress(row.line, row.why...)
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%s: a line has %d columns: %s", row.sentence, n, line)
			}
		}
	}
}
