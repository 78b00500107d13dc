package rollout

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// Each strategy makes its second write when the controller has seen the first and created a third new pod, and no earlier.
func TestWhatIsWrittenMidway(t *testing.T) {
	app, to := fixtures.App{Replicas: 4}, fixtures.Destination{Namespace: "ns"}
	for _, row := range []struct {
		sentence string
		strategy Strategy
		writes   []string // each the template's version, and whether it is paused
	}{
		{"a restart is overtaken by an update", Overtaken("v1", "v2"), []string{"v1", "v2"}},
		{"an update is paused and resumed", Paused("v1", "v2", 10*time.Second), []string{"v2", "v2 paused", "v2"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(app.Deployment(to, "v1"))
				var writes []string
				began, asked := time.Now(), 0
				client.PrependReactor("update", "deployments", func(a k8stesting.Action) (bool, runtime.Object, error) {
					d := a.(k8stesting.UpdateAction).GetObject().(*appsv1.Deployment)
					said := d.Spec.Template.Labels[fixtures.VersionLabel]
					if d.Spec.Paused {
						said += " paused"
					}
					writes = append(writes, said)
					return false, nil, nil
				})
				client.PrependReactor("get", "deployments", func(a k8stesting.Action) (bool, runtime.Object, error) {
					live, err := client.Tracker().Get(a.GetResource(), "ns", app.ResourceName())
					if asked++; err != nil {
						return true, nil, err
					}
					d := live.DeepCopyObject().(*appsv1.Deployment)
					if d.Status.UpdatedReplicas = 2; time.Since(began) >= time.Second {
						d.Status.UpdatedReplicas = 3
					}
					return true, d, nil
				})
				if err := row.strategy.Begin(context.Background(), client, to, app); err != nil {
					t.Fatal(err)
				}
				if len(writes) != len(row.writes) || asked < 10 {
					t.Fatalf("wrote %v after %d looks", writes, asked)
				}
				for i, want := range row.writes {
					if writes[i] != want {
						t.Errorf("write %d is %s, want %s", i+1, writes[i], want)
					}
				}
			})
		})
	}
}

// A rollout is only paused midway, and resumed, while old pods are left.
func TestTooLateForTheMiddle(t *testing.T) {
	app, to := fixtures.App{Replicas: 4}, fixtures.Destination{Namespace: "ns"}
	for _, row := range []struct {
		sentence        string
		updated, paused int32 // new pods before and after the pause
		want            string
	}{
		{"every pod is new before anybody looks", 4, 4, "rollout: echo is no longer midway"},
		{"the rollout goes on while it is paused", 3, 4, "rollout: no old pod was left when echo was to be resumed"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(app.Deployment(to, "v1"))
				client.PrependReactor("get", "deployments", func(a k8stesting.Action) (bool, runtime.Object, error) {
					live, err := client.Tracker().Get(a.GetResource(), "ns", app.ResourceName())
					if err != nil {
						return true, nil, err
					}
					d := live.DeepCopyObject().(*appsv1.Deployment)
					if d.Status.UpdatedReplicas = row.updated; d.Spec.Paused {
						d.Status.UpdatedReplicas = row.paused
					}
					return true, d, nil
				})
				err := Paused("v1", "v2", 10*time.Second).Begin(context.Background(), client, to, app)
				if err == nil || err.Error() != row.want {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestStuckForItsReason(t *testing.T) {
	app, to := fixtures.App{Replicas: 3}, fixtures.Destination{Namespace: "ns"}
	waiting := func(reason string) corev1.PodStatus {
		state := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: state}}}
	}
	for _, row := range []struct {
		sentence, version string
		status            corev1.PodStatus
		stuck             bool
	}{
		{"a new pod's container waits for it", "v2", waiting("CrashLoopBackOff"), true},
		{"no node takes a new pod", "v2", corev1.PodStatus{Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}}, true},
		{"a new pod's container waits for something else", "v2", waiting("ContainerCreating"), false},
		{"an old pod's container waits for it", "v1", waiting("CrashLoopBackOff"), false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(app.Deployment(to, "v1"), &corev1.Pod{Status: row.status, ObjectMeta: metav1.ObjectMeta{
					Namespace: "ns", Name: "pod", Labels: map[string]string{fixtures.VersionLabel: row.version}}})
				err := Stuck("v1", "v2", func(*fixtures.App) {}, "CrashLoopBackOff", corev1.PodReasonUnschedulable).
					Begin(context.Background(), client, to, app)
				if (err == nil) != row.stuck {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestUpdateWithChangesTheNextTemplateAlone(t *testing.T) {
	app, to := fixtures.App{Replicas: 3}, fixtures.Destination{Namespace: "ns"}
	client := fake.NewClientset(app.Deployment(to, "v1"))
	s := Stuck("v1", "v2", func(a *fixtures.App) { a.Tag = "none" })
	if err := s.Begin(t.Context(), client, to, app); err != nil {
		t.Fatal(err)
	}
	d, err := client.AppsV1().Deployments("ns").Get(t.Context(), app.ResourceName(), metav1.GetOptions{})
	if err != nil || d.Spec.Template.Spec.Containers[0].Image != fixtures.ImageRef("echo", "none") || *d.Spec.ProgressDeadlineSeconds != 5 {
		t.Errorf("%+v, %v", d.Spec, err)
	}
	seen := observe.State{Deployments: map[string]*appsv1.Deployment{d.Name: d}}
	if s.Settled(seen, app) {
		t.Error("it is stuck before the API server says so")
	}
	d.Status.Conditions = []appsv1.DeploymentCondition{{Reason: "ProgressDeadlineExceeded"}}
	if !s.Settled(seen, app) {
		t.Error("it is not stuck though the API server says so")
	}
	if app.Tag != "" {
		t.Error("the scenario's own app was changed")
	}
}

func TestWhenPodsHaveLeft(t *testing.T) {
	app := fixtures.App{Replicas: 3}
	unready := routed(3, 0)
	unready.Pods = append(unready.Pods, observe.PodState{Server: server("v2", 0)})
	unready.Endpoints = append(unready.Endpoints, observe.EndpointState{Server: server("v2", 0)})
	leaving := routed(2, 0)
	leaving.Pods = append(leaving.Pods, observe.PodState{Server: evidence.Server{Version: "v1", Pod: "last"}, Deleting: true})
	for _, row := range []struct {
		sentence string
		strategy Strategy
		state    observe.State
		want     bool
	}{
		{"two of three stay, and one still ends", ScaledIn("v1", 2), leaving, false},
		{"two of three stay", ScaledIn("v1", 2), routed(2, 0), true},
		{"a deleted app still has pods", Deleted("v1"), routed(1, 0), false},
		{"a deleted app has none", Deleted("v1"), routed(0, 0), true},
		{"all is as before the update that was undone", Undone("v1", "v2"), routed(3, 0), true},
		{"a pod of the update that was undone is there", Undone("v1", "v2"), routed(3, 1), false},
		{"the new pod of a stuck update is not ready", Stuck("v1", "v2", nil), unready, true},
		{"the new pod of a stuck update is led to", Stuck("v1", "v2", nil), routed(3, 1), false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := row.strategy.Over(row.state, app); got != row.want {
				t.Errorf("over: %v", got)
			}
		})
	}
}
