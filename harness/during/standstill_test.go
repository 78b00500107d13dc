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

func TestRolloutsThatNoWaitEnds(t *testing.T) {
	const soon, late = sayEvery, stillFor + sayEvery
	const noPort = "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports"
	const ports = noPort + ". preemption: 0/2 nodes are available"
	pod := func(name string, edit func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name),
			Labels: map[string]string{"app": "web"}}}
		edit(p)
		return p
	}
	isReady := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	ends := func(p *corev1.Pod) { isReady(p); p.DeletionTimestamp, p.Finalizers = new(metav1.Now()), []string{"x"} }
	unscheduled := func(message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonUnschedulable, Message: message}}
		}
	}
	waits := func(reason, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web",
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
		}
	}
	ended := func(p *corev1.Pod) {
		ends(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}}
	}
	none := func(*corev1.Pod) {}
	event := func(kind, name, reason, message string, count int32) *corev1.Event {
		return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: kind + name + reason}, Count: count, Reason: reason,
			Message: message, InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, UID: types.UID(name)}}
	}
	const quota = `Error creating: pods "web-7f-x" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=3, limited: pods=3`
	refuse := func(maker string, before, later int32) (*corev1.Event, *corev1.Event) {
		return event("ReplicaSet", maker, "FailedCreate", quota, before), event("ReplicaSet", maker, "FailedCreate", quota, later)
	}
	list := func(objects ...runtime.Object) []runtime.Object { return objects }
	old, new1 := pod("web-1", isReady), "web-2"
	refused, again := refuse("web-7f", 12, 13)
	ofOther, ofOtherAgain := refuse("web-api-7f", 12, 13)
	deadline := func(name string, status corev1.ConditionStatus) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Status: appsv1.DeploymentStatus{
			Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: status, Reason: "ProgressDeadlineExceeded"}}}}
	}
	cordoned := readyNode("b")
	cordoned.Spec.Unschedulable = true
	for _, row := range []struct {
		sentence string
		there    []runtime.Object
		at       time.Duration  // something changes; 0: nothing does
		later    runtime.Object // what changes
		after    time.Duration  // how long until Because says it; 0: never
		want     string
	}{
		{"every pod is ready", list(old), 0, nil, 0, ""},
		{"a port that an old pod has", list(old, pod(new1, unscheduled(ports))), 0, nil, stillFor,
			"no node takes pod web-2: " + noPort},
		{"an old pod ends, which may free it", list(pod("web-1", ends), pod(new1, unscheduled(ports))), 0, nil, 0, ""},
		{"an old pod that has ended, which a finalizer keeps", list(pod("web-1", ended), pod(new1, isReady)), 0, nil, stillFor,
			"pod web-1 has ended and stays, since nobody takes its finalizer away: x"},
		{"a node is away, which may come back", list(old, pod(new1, unscheduled(ports)), cordoned), 0, nil, 0, ""},
		{"another pod got ready meanwhile", list(old, pod("web-3", none), pod(new1, unscheduled(ports))), soon, pod("web-3", isReady),
			soon + stillFor, "no node takes pod web-2: " + noPort},
		{"an autoscaler adds a node", list(old, pod(new1, unscheduled(ports)), event("Pod", new1, "TriggeredScaleUp", "", 1)), 0, nil, 0, ""},
		{"an autoscaler did so for another pod", list(old, pod(new1, unscheduled("no room")), event("Pod", "web-9", "TriggeredScaleUp", "", 1)),
			0, nil, stillFor, "no node takes pod web-2: no room"},
		{"a pod of less priority is ended for it", list(old, pod(new1, func(p *corev1.Pod) {
			unscheduled(ports)(p)
			p.Status.NominatedNodeName = "a"
		})), 0, nil, 0, ""},
		{"its volume is being made", list(old, pod(new1, unscheduled("pod has unbound immediate PersistentVolumeClaims."))), 0, nil, 0, ""},
		{"a pod that waits for its gate", list(old, pod(new1, func(p *corev1.Pod) {
			unscheduled("")(p)
			p.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated
		})), 0, nil, 0, ""},
		{"one that only takes long to start", list(old, pod(new1, none)), 0, nil, 0, ""},
		{"one that crashes, which may end", list(old, pod(new1, waits("CrashLoopBackOff", "back-off 40s"))), 0, nil, 0, ""},
		{"quota that refuses it again and again", list(old, refused), late, again, late, "FailedCreate: " + quota},
		{"quota that refused it before, and not since", list(old, refused), 0, nil, 0, ""},
		{"quota of another app", list(old, ofOther), late, ofOtherAgain, 0, ""},
		{"a webhook that is away", list(old, event("ReplicaSet", "web-7f", "FailedCreate", "failed calling webhook", 12)),
			late, event("ReplicaSet", "web-7f", "FailedCreate", "failed calling webhook", 13), 0, ""},
		{"quota that refused it once more before the last change", list(old, refused), soon, again, 0, ""},
		{"a volume that an old pod has", list(old, pod(new1, none), event("Pod", new1, "FailedAttachVolume",
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-0, web-1`, 1)), 0, nil, stillFor, "pod web-2 gets no volume: " +
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-0, web-1`},
		{"a volume that a pod had which is gone", list(old, pod(new1, none), event("Pod", new1, "FailedAttachVolume",
			`Waiting for detach for volume "pvc-1" Volume is already used by pod(s) web-11`, 1)), 0, nil, 0, ""},
		{"a start that takes longer than its probe allows", list(old, pod(new1, none), event("Pod", new1, "Killing",
			"Container web failed startup probe, will be restarted", 3)), 0, nil, stillFor,
			"pod web-2 does not get ready: Container web failed startup probe, will be restarted (3 times)"},
		{"a start that took too long twice", list(old, pod(new1, none), event("Pod", new1, "Killing",
			"Container web failed liveness probe, will be restarted", 2)), 0, nil, 0, ""},
		{"an image that does not exist", list(old, pod(new1, waits("ImagePullBackOff",
			`Back-off pulling image "web:3": ErrImagePull: rpc error: code = NotFound desc = reg/web:3: not found`))), 0, nil, stillFor,
			`pod web-2 has no image for container web: Back-off pulling image "web:3": ErrImagePull: rpc error: code = NotFound desc = ` +
				"reg/web:3: not found"},
		{"a registry that is away", list(old, pod(new1, waits("ImagePullBackOff", `Back-off pulling image "web:3": dial tcp: timeout`))), 0, nil, 0, ""},
		{"a name that no image can have", list(old, pod(new1, waits("InvalidImageName", ""))), 0, nil, stillFor,
			"pod web-2 has no image for container web: InvalidImageName"},
		{"the Deployment's progress deadline is over", list(old, pod(new1, none), deadline("web", corev1.ConditionFalse)), 0, nil, stillFor,
			"deployment web made no progress for its progressDeadlineSeconds"},
		{"another Deployment's is", list(old, pod(new1, none), deadline("api", corev1.ConditionFalse), deadline("web", corev1.ConditionTrue)),
			0, nil, 0, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(append(list(readyNode("a")), row.there...)...)
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
