package during

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/observe"
)

// A standRow is a rollout, and what is said of it once no wait ends it.
type standRow struct {
	sentence string
	there    []runtime.Object
	at       time.Duration  // something changes; 0: nothing does
	later    runtime.Object // what changes
	after    time.Duration  // how long until Because says it; 0: never
	want     string
}

// When something changes: before it counts as a standstill, and later.
const beforeStill, afterStill = sayEvery, stillFor + sayEvery

// What a scheduler says of a port, and an API server of quota.
const (
	noFreePort  = "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports"
	noFreePorts = noFreePort + ". preemption: 0/2 nodes are available"
	overQuota   = `Error creating: pods "web-7f-x" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=3, limited: pods=3`
)

func objects(all ...runtime.Object) []runtime.Object { return all }

func standPod(name string, edit func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name),
		Labels: map[string]string{"app": "web"}}}
	edit(p)
	return p
}

func oldPod() *corev1.Pod { return standPod("web-1", isReady) }

func asCreated(*corev1.Pod) {}

func isReady(p *corev1.Pod) {
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
}

func endsNow(p *corev1.Pod) {
	isReady(p)
	p.DeletionTimestamp, p.Finalizers = new(metav1.Now()), []string{"x"}
}

func hasEnded(p *corev1.Pod) {
	endsNow(p)
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}}
}

func unscheduled(message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: corev1.PodReasonUnschedulable, Message: message}}
	}
}

func waitsFor(reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	}
}

func standEvent(kind, name, reason, message string, count int32) *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: kind + name + reason}, Count: count, Reason: reason,
		Message: message, InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, UID: types.UID(name)}}
}

// checkStandstills has the shop with two nodes and the app web.
func checkStandstills(t *testing.T, rows []standRow) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(append(objects(readyNode("a")), row.there...)...)
				s := NewStandstill(observe.Follow(t.Context(), fake.NewClientset(readyNode("a"), readyNode("b")), "shop"),
					labels.SelectorFromSet(labels.Set{"app": "web"}), "web")
				s.seen = observe.Follow(t.Context(), client, "shop")
				got, began := s.Because(), time.Now()
				for got == "" && time.Since(began) < 3*time.Minute {
					time.Sleep(sayEvery)
					if row.at > 0 && time.Since(began) == row.at {
						kinds := map[bool]string{true: "pods", false: "events"}
						_, isPod := row.later.(*corev1.Pod)
						if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource(kinds[isPod]), row.later, "shop"); err != nil {
							t.Fatal(err)
						}
						synctest.Wait() // until it is seen
					}
					got = s.Because()
				}
				after := time.Since(began)
				if got != row.want || got != "" && after != row.after {
					t.Errorf("after %v it says %q, want after %v %q", after, got, row.after, row.want)
				}
			})
		})
	}
}

func TestPodsThatNoNodeTakes(t *testing.T) {
	cordoned := readyNode("b")
	cordoned.Spec.Unschedulable = true
	checkStandstills(t, []standRow{
		{"every pod is ready", objects(oldPod()), 0, nil, 0, ""},
		{"a port that an old pod has", objects(oldPod(), standPod("web-2", unscheduled(noFreePorts))), 0, nil, stillFor,
			"no node takes pod web-2: " + noFreePort},
		{"an old pod ends, which may free it", objects(standPod("web-1", endsNow), standPod("web-2", unscheduled(noFreePorts))), 0, nil, 0, ""},
		{"an old pod that has ended, which a finalizer keeps", objects(standPod("web-1", hasEnded), standPod("web-2", isReady)), 0, nil, stillFor,
			"pod web-1 has ended and stays, since nobody takes its finalizer away: x"},
		{"a node is away, which may come back", objects(oldPod(), standPod("web-2", unscheduled(noFreePorts)), cordoned), 0, nil, 0, ""},
		{"another pod got ready meanwhile", objects(oldPod(), standPod("web-3", asCreated), standPod("web-2", unscheduled(noFreePorts))),
			beforeStill, standPod("web-3", isReady),
			beforeStill + stillFor, "no node takes pod web-2: " + noFreePort},
		{"an autoscaler adds a node", objects(oldPod(), standPod("web-2", unscheduled(noFreePorts)),
			standEvent("Pod", "web-2", "TriggeredScaleUp", "", 1)), 0, nil, 0, ""},
		{"an autoscaler did so for another pod", objects(oldPod(), standPod("web-2", unscheduled("no room")),
			standEvent("Pod", "web-9", "TriggeredScaleUp", "", 1)),
			0, nil, stillFor, "no node takes pod web-2: no room"},
		{"a pod of less priority is ended for it", objects(oldPod(), standPod("web-2", func(p *corev1.Pod) {
			unscheduled(noFreePorts)(p)
			p.Status.NominatedNodeName = "a"
		})), 0, nil, 0, ""},
		{"its volume is being made", objects(oldPod(), standPod("web-2", unscheduled("pod has unbound immediate PersistentVolumeClaims."))), 0,
			nil, 0, ""},
		{"a pod that waits for its gate", objects(oldPod(), standPod("web-2", func(p *corev1.Pod) {
			unscheduled("")(p)
			p.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated
		})), 0, nil, 0, ""},
		{"one that only takes long to start", objects(oldPod(), standPod("web-2", asCreated)), 0, nil, 0, ""},
		{"one that crashes, which may end", objects(oldPod(), standPod("web-2", waitsFor("CrashLoopBackOff", "back-off 40s"))), 0, nil, 0, ""},
	})
}

func TestPodsThatAreNotCreated(t *testing.T) {
	refused := func(maker string, count int32) *corev1.Event {
		return standEvent("ReplicaSet", maker, "FailedCreate", overQuota, count)
	}
	checkStandstills(t, []standRow{
		{"quota that refuses it again and again", objects(oldPod(), refused("web-7f", 12)), afterStill, refused("web-7f", 13), afterStill,
			"FailedCreate: " + overQuota},
		{"quota that refused it before, and not since", objects(oldPod(), refused("web-7f", 12)), 0, nil, 0, ""},
		{"quota of another app", objects(oldPod(), refused("web-api-7f", 12)), afterStill, refused("web-api-7f", 13), 0, ""},
		{"a webhook that is away", objects(oldPod(), standEvent("ReplicaSet", "web-7f", "FailedCreate", "failed calling webhook", 12)),
			afterStill, standEvent("ReplicaSet", "web-7f", "FailedCreate", "failed calling webhook", 13), 0, ""},
		{"quota that refused it once more before the last change", objects(oldPod(), refused("web-7f", 12)), beforeStill, refused("web-7f", 13),
			0, ""},
	})
}

func TestPodsThatDoNotStart(t *testing.T) {
	deadline := func(name string, status corev1.ConditionStatus) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Status: appsv1.DeploymentStatus{
			Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: status, Reason: "ProgressDeadlineExceeded"}}}}
	}
	checkStandstills(t, []standRow{
		{"a volume that an old pod has", objects(oldPod(), standPod("web-2", asCreated), standEvent("Pod", "web-2", "FailedAttachVolume",
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-0, web-1`, 1)), 0, nil, stillFor, "pod web-2 gets no volume: " +
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-0, web-1`},
		{"a volume that a pod had which is gone", objects(oldPod(), standPod("web-2", asCreated), standEvent("Pod", "web-2", "FailedAttachVolume",
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-11`, 1)), 0, nil, 0, ""},
		{"a start that takes longer than its probe allows", objects(oldPod(), standPod("web-2", asCreated), standEvent("Pod", "web-2", "Killing",
			"Container web failed startup probe, will be restarted", 3)), 0, nil, stillFor,
			"pod web-2 does not get ready: Container web failed startup probe, will be restarted (3 times)"},
		{"a start that took too long twice", objects(oldPod(), standPod("web-2", asCreated), standEvent("Pod", "web-2", "Killing",
			"Container web failed liveness probe, will be restarted", 2)), 0, nil, 0, ""},
		{"an image that does not exist", objects(oldPod(), standPod("web-2", waitsFor("ImagePullBackOff",
			`Back-off pulling image "web:3": ErrImagePull: rpc error: code = NotFound desc = reg/web:3: not found`))), 0, nil, stillFor,
			`pod web-2 has no image for container web: Back-off pulling image "web:3": ErrImagePull: rpc error: code = NotFound desc = ` +
				"reg/web:3: not found"},
		{"a registry that is away", objects(oldPod(), standPod("web-2", waitsFor("ImagePullBackOff", `Back-off pulling image "web:3": dial tcp: timeout`))), 0, nil, 0, ""},
		{"a name that no image can have", objects(oldPod(), standPod("web-2", waitsFor("InvalidImageName", ""))), 0, nil, stillFor,
			"pod web-2 has no image for container web: InvalidImageName"},
		{"the Deployment's progress deadline is over", objects(oldPod(), standPod("web-2", asCreated), deadline("web", corev1.ConditionFalse)),
			0, nil, stillFor,
			"deployment web made no progress for its progressDeadlineSeconds"},
		{"another Deployment's is", objects(oldPod(), standPod("web-2", asCreated), deadline("api", corev1.ConditionFalse),
			deadline("web", corev1.ConditionTrue)),
			0, nil, 0, ""},
	})
}

// A rollout that cannot end is no longer waited for, which is a step.
func TestTheWaitForARolloutThatCannotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-2", Labels: map[string]string{"app": "web"}},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonUnschedulable, Message: "no room"}}}}
		client, selector := fake.NewClientset(readyNode("a"), p), labels.SelectorFromSet(p.Labels)
		var out strings.Builder
		m := &maintenance{screen: &screen{terminal: &out, log: io.Discard}, app: &userApp{client: client, namespace: "shop", selector: selector}}
		m.app.follow(observe.Follow(t.Context(), client, "shop"))
		began := time.Now()
		if got, want := m.awaitRollout(t.Context(), accepted), "the rollout cannot end: no node takes pod web-2: no room"; got != want {
			t.Errorf("it is unfinished since %q, want %q", got, want)
		}
		if took := time.Since(began); took != stillFor {
			t.Errorf("waited for %v, want %v", took, stillFor)
		}
		if want := strings.Repeat("waiting until the rollout is over: pod web-2 is not ready\n", 2); out.String() != want {
			t.Errorf("said %q, want %q", out.String(), want)
		}
	})
}
