package standstill

import (
	"fmt"
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
	after    time.Duration  // how long until an obstacle is there for good; 0: never
	want     string         // what is said of it
}

// lookEvery is how often waits look.
const lookEvery = 5 * time.Second

// When something changes: before it counts as a standstill, and later.
const beforeStill, afterStill = lookEvery, stillFor + lookEvery

// What a scheduler says of a port, and an API server of quota.
const (
	noFreePort  = "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports"
	noFreePorts = noFreePort + ". preemption: 0/2 nodes are available"
	overQuota   = `Error creating: pods "web-7f-x" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=3, limited: pods=3`
)

// What one says of labels of nodes, and of what an autoscaler may add.
const (
	noSuchLabels = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector"
	noRoomLeft   = "0/2 nodes are available: 2 Insufficient cpu"
)

func readyNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
}

func objects(all ...runtime.Object) []runtime.Object { return all }

func standPod(name string, edit func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name),
		Labels: map[string]string{"app": "web"}}}
	edit(p)
	return p
}

func oldPod() *corev1.Pod { return standPod("web-1", isReady) }

func asCreated(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }

func isReady(p *corev1.Pod) {
	for i := range p.Status.ContainerStatuses {
		p.Status.ContainerStatuses[i].Ready = true
	}
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

// runs has container web run, after so many restarts.
func runs(restarts int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", RestartCount: restarts,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		if restarts > 0 {
			p.Status.ContainerStatuses[0].LastTerminationState = exit(1, "Error")
		}
	}
}

// exited has container web wait for its next run, after so many exits.
func exited(times int32, code int32, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		waitsFor("CrashLoopBackOff", "back-off 20s restarting failed container=web")(p)
		c := &p.Status.ContainerStatuses[0]
		c.RestartCount, c.LastTerminationState = times-1, exit(code, reason)
	}
}

func exit(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

// all makes several edits.
func all(edits ...func(*corev1.Pod)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, edit := range edits {
			edit(p)
		}
	}
}

// ofVersion gives a pod the ReplicaSet of a version of web, and the second in which it was made.
func ofVersion(hash string, made int64) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Labels["pod-template-hash"], p.CreationTimestamp = hash, metav1.Unix(made, 0)
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web-" + hash, Controller: new(true)}}
	}
}

// later has an Event seen last in a second.
func later(second int64, e *corev1.Event) *corev1.Event {
	e.Name, e.LastTimestamp = fmt.Sprint(e.Name, second), metav1.Unix(second, 0)
	return e
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
				s := New(observe.Follow(t.Context(), fake.NewClientset(readyNode("a"), readyNode("b")), "shop"),
					labels.SelectorFromSet(labels.Set{"app": "web"}), "web")
				s.seen = observe.Follow(t.Context(), client, "shop")
				look := func() string {
					if o := s.Look(); o.ForGood {
						return o.String()
					}
					return ""
				}
				got, began := look(), time.Now()
				for got == "" && time.Since(began) < 3*time.Minute {
					time.Sleep(lookEvery)
					if row.at > 0 && time.Since(began) == row.at {
						kinds := map[bool]string{true: "pods", false: "events"}
						_, isPod := row.later.(*corev1.Pod)
						if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource(kinds[isPod]), row.later, "shop"); err != nil {
							t.Fatal(err)
						}
						synctest.Wait() // until it is seen
					}
					got = look()
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
		{"it says later that it adds none", objects(oldPod(), standPod("web-2", unscheduled(noRoomLeft)),
			later(1, standEvent("Pod", "web-2", "TriggeredScaleUp", "", 1)), later(2, standEvent("Pod", "web-2", "NotTriggerScaleUp", "", 1))),
			0, nil, stillFor, "no node takes pod web-2: " + noRoomLeft},
		{"there is none, and no room", objects(oldPod(), standPod("web-2", unscheduled(noRoomLeft))), 0, nil, stillFor,
			"no node takes pod web-2: " + noRoomLeft},
		{"labels that no node has, while an old pod ends", objects(standPod("web-1", endsNow), standPod("web-2", unscheduled(noSuchLabels))), 0,
			nil, stillFor, "no node takes pod web-2: " + noSuchLabels},
		{"labels that a node which is away may have", objects(oldPod(), standPod("web-2", unscheduled(noSuchLabels)), cordoned), 0, nil, 0, ""},
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
			`pod web-2: container web is waiting: ImagePullBackOff: Back-off pulling image "web:3": ErrImagePull: rpc error: ` +
				"code = NotFound desc = reg/web:3: not found"},
		{"a registry that is away for a minute", objects(oldPod(), standPod("web-2", waitsFor("ImagePullBackOff", "dial tcp: timeout"))), 0, nil,
			triedFor, "pod web-2: container web is waiting: ImagePullBackOff: dial tcp: timeout"},
		{"one that is back sooner", objects(oldPod(), standPod("web-2", waitsFor("ImagePullBackOff", "dial tcp: timeout"))), afterStill,
			standPod("web-2", runs(0)), 0, ""},
		{"a setting that no container can have", objects(oldPod(), standPod("web-2", waitsFor(configError, "image will run as root"))), 0, nil,
			triedFor, "pod web-2: container web is waiting: CreateContainerConfigError: image will run as root"},
		{"a name that no image can have", objects(oldPod(), standPod("web-2", waitsFor("InvalidImageName", ""))), 0, nil, stillFor,
			"pod web-2: container web is waiting: InvalidImageName"},
		{"the Deployment's progress deadline is over", objects(oldPod(), standPod("web-2", asCreated), deadline("web", corev1.ConditionFalse)),
			0, nil, stillFor,
			"deployment web made no progress for its progressDeadlineSeconds: pod web-2 is not ready: it is Pending"},
		{"another Deployment's is", objects(oldPod(), standPod("web-2", asCreated), deadline("api", corev1.ConditionFalse),
			deadline("web", corev1.ConditionTrue)),
			0, nil, 0, ""},
	})
}

// Many containers exit until what they need is there. Only the third exit of one, while its pod is not ready, ends a wait.
func TestContainersThatExit(t *testing.T) {
	const third = "pod web-2: container web exited with code 1 (3 times)"
	checkStandstills(t, []standRow{
		{"one that exited twice", objects(oldPod(), standPod("web-2", exited(2, 1, "Error"))), 0, nil, 0, ""},
		{"and then runs", objects(oldPod(), standPod("web-2", exited(2, 1, "Error"))), afterStill,
			standPod("web-2", all(runs(2), isReady)), 0, ""},
		{"one that exited three times", objects(oldPod(), standPod("web-2", exited(3, 1, "Error"))), 0, nil, stillFor, third},
		{"the third exit comes later", objects(oldPod(), standPod("web-2", exited(2, 1, "Error"))), afterStill,
			standPod("web-2", exited(3, 1, "Error")), afterStill, third},
		{"the fourth run may get the pod ready", objects(oldPod(), standPod("web-2", runs(3))), 0, nil, 0, ""},
		{"while an old pod ends, for however long", objects(standPod("web-1", endsNow), standPod("web-2", exited(3, 1, "Error"))), 0, nil,
			stillFor, third},
		{"a pod that was ready before exits for the third time in its life", objects(standPod("web-2", all(runs(2), isReady))), beforeStill,
			standPod("web-2", exited(3, 1, "Error")), 0, ""},
		{"since it was ready", objects(standPod("web-2", all(runs(2), isReady))), beforeStill,
			standPod("web-2", exited(5, 1, "Error")), beforeStill + stillFor, third},
		{"an old pod, beside which a new one starts", objects(standPod("web-1", all(ofVersion("a", 1), exited(3, 1, "Error"))),
			standPod("web-2", all(ofVersion("b", 2), asCreated))), 0, nil, 0, ""},
		{"a new pod, beside an old one", objects(standPod("web-1", all(ofVersion("a", 1), asCreated)),
			standPod("web-2", all(ofVersion("b", 2), exited(3, 1, "Error")))), 0, nil, stillFor, third},
		{"an older pod of the version that is rolled back to", objects(standPod("web-1", all(ofVersion("b", 2), asCreated)),
			standPod("web-2", all(ofVersion("a", 1), exited(3, 1, "Error"))), standPod("web-3", all(ofVersion("a", 3), isReady))), 0, nil,
			stillFor, third},
		{"another pod of the app has an obstacle that stays", objects(standPod("web-1", unscheduled(noFreePort)),
			standPod("web-2", exited(2, 1, "Error"))), 0, nil, stillFor, "no node takes pod web-1: " + noFreePort},
	})
}

// What a pod names may be created late.
func TestObjectsThatAreMissing(t *testing.T) {
	const noSecret = `secret "web-db" not found`
	volume := standEvent("Pod", "web-2", "FailedMount", `MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found`, 4)
	checkStandstills(t, []standRow{
		{"a Secret of a container", objects(oldPod(), standPod("web-2", waitsFor(configError, noSecret))), 0, nil, stillFor,
			"pod web-2: container web is waiting: CreateContainerConfigError: " + noSecret},
		{"one that comes", objects(oldPod(), standPod("web-2", waitsFor(configError, noSecret))), beforeStill, standPod("web-2", runs(0)), 0, ""},
		{"that of a volume", objects(oldPod(), standPod("web-2", waitsFor("ContainerCreating", "")), volume), 0, nil, stillFor,
			"pod web-2 gets no volume: " + volume.Message},
		{"a volume that was there late", objects(oldPod(), standPod("web-2", runs(0)), volume), 0, nil, 0, ""},
		{"a claim", objects(oldPod(), standPod("web-2", unscheduled(`0/2 nodes are available: persistentvolumeclaim "data" not found. preemption: x`))),
			0, nil, stillFor, `no node takes pod web-2: 0/2 nodes are available: persistentvolumeclaim "data" not found`},
	})
}

// An object that is known to be created by nobody is not waited for. A key may still come, since somebody has its object.
func TestObjectsThatNobodyCreates(t *testing.T) {
	for _, row := range []struct {
		sentence, message string
		forGood           bool
	}{
		{"a Secret that nobody creates", `secret "web-db" not found`, true},
		{"one that somebody does", `secret "web-tls" not found`, false},
		{"a key of one that is there", "couldn't find key url in Secret shop/web-db", false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(readyNode("a"), standPod("web-2", waitsFor(configError, row.message)))
				s := New(observe.Follow(t.Context(), client, "shop"), labels.SelectorFromSet(labels.Set{"app": "web"}), "web")
				s.Uncreated = func(kind, name string) bool { return kind+"/"+name == "Secret/web-db" }
				if o := s.Look(); o.Kind != Missing || o.ForGood != row.forGood {
					t.Errorf("%+v", o)
				}
			})
		})
	}
}
