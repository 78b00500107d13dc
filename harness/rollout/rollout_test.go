package rollout

import (
	"context"
	"errors"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

func TestComplete(t *testing.T) {
	done := appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}
	for _, tc := range []struct {
		sentence string
		change   func(*appsv1.DeploymentStatus)
		want     bool
	}{
		{"all updated, available and nothing else left is done", func(*appsv1.DeploymentStatus) {}, true},
		{"a spec the controller has not seen is not done", func(s *appsv1.DeploymentStatus) { s.ObservedGeneration = 1 }, false},
		{"a replica not yet updated is not done", func(s *appsv1.DeploymentStatus) { s.UpdatedReplicas = 2 }, false},
		{"an old replica not yet deleted is not done", func(s *appsv1.DeploymentStatus) { s.Replicas = 4 }, false},
		{"a new replica not yet available is not done", func(s *appsv1.DeploymentStatus) { s.AvailableReplicas = 2 }, false},
		{"terminating pods do not count: the trap", func(s *appsv1.DeploymentStatus) { s.TerminatingReplicas = new(int32(3)) }, true},
		{"past the deadline is not done", func(s *appsv1.DeploymentStatus) {
			s.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded",
			}}
		}, false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(3))}, Status: done}
			d.Generation = 2
			tc.change(&d.Status)
			if got := Complete(d); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestUpdateIsWrittenAgainWhenTheControllerWroteInBetween(t *testing.T) {
	app := fixtures.App{Replicas: 3}
	client := fake.NewClientset(app.Deployment(fixtures.Destination{Namespace: "ns"}, "v1"))
	conflicts := 2
	client.PrependReactor("update", "deployments", func(k8stesting.Action) (bool, runtime.Object, error) {
		if conflicts--; conflicts >= 0 {
			return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: "deployments"}, "echo", nil)
		}
		return false, nil, nil
	})
	if err := Update("v1", "v2").Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app); err != nil {
		t.Fatal(err)
	}
	d, err := client.AppsV1().Deployments("ns").Get(t.Context(), "echo", metav1.GetOptions{})
	if err != nil || d.Spec.Template.Labels[fixtures.VersionLabel] != "v2" {
		t.Errorf("the template is of version %q, %v", d.Spec.Template.Labels[fixtures.VersionLabel], err)
	}
}

// Somebody else makes the write, and the end is that of an update.
func TestUpdateMeanwhileWritesNothing(t *testing.T) {
	client, s, app := fake.NewClientset(), UpdateMeanwhile("v1", "v2"), fixtures.App{Replicas: 3}
	if err := s.Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app); err != nil || len(client.Actions()) > 0 {
		t.Errorf("%v, %v", client.Actions(), err)
	}
	d := app.Deployment(fixtures.Destination{Namespace: "ns"}, "v1")
	d.Status = appsv1.DeploymentStatus{Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3}
	seen := observe.State{Deployments: map[string]*appsv1.Deployment{d.Name: d}}
	if s.Settled(seen, app) {
		t.Error("it is settled before the write")
	}
	d.Spec.Template.Labels[fixtures.VersionLabel] = "v2"
	if !s.Settled(seen, app) {
		t.Error("it is not settled after the rollout")
	}
}

func TestRestartThenUpdateEndsEveryPodThatOften(t *testing.T) {
	app := fixtures.App{Replicas: 3}
	client := fake.NewClientset(app.Deployment(fixtures.Destination{Namespace: "ns"}, "v1"))
	var templates []string // written, by version and restart
	client.PrependReactor("update", "deployments", func(action k8stesting.Action) (bool, runtime.Object, error) {
		d := action.(k8stesting.UpdateAction).GetObject().(*appsv1.Deployment)
		d.Status = appsv1.DeploymentStatus{Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3} // complete at once
		templates = append(templates, d.Spec.Template.Labels[fixtures.VersionLabel]+" "+d.Spec.Template.Annotations[restartAnnotation])
		return false, nil, nil
	})
	s := RestartThenUpdate("v1", "v2", 2)
	if err := s.Begin(t.Context(), client, fixtures.Destination{Namespace: "ns"}, app); err != nil {
		t.Fatal(err)
	}
	if want := []string{"v1 1", "v1 2", "v2 "}; !slices.Equal(templates, want) {
		t.Errorf("templates %q, want %q", templates, want)
	}
}

func TestRestartIsAwaited(t *testing.T) {
	app := fixtures.App{Replicas: 3}
	client := fake.NewClientset(app.Deployment(fixtures.Destination{Namespace: "ns"}, "v1")) // no controller makes its pods
	ctx, cancel := context.WithCancelCause(t.Context())
	client.PrependReactor("get", "deployments", func(k8stesting.Action) (bool, runtime.Object, error) {
		d, err := client.Tracker().Get(appsv1.SchemeGroupVersion.WithResource("deployments"), "ns", app.ResourceName())
		if err == nil && d.(*appsv1.Deployment).Spec.Template.Annotations[restartAnnotation] != "" {
			cancel(errors.New("enough"))
		}
		return false, nil, nil
	})
	if err := RestartThenUpdate("v1", "v2", 2).Begin(ctx, client, fixtures.Destination{Namespace: "ns"}, app); err == nil {
		t.Error("the next one began before the first was done")
	}
}
