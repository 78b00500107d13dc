package rollout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/describe"
)

// What kubectl itself prints of a Deployment is read: its pods by state, its conditions, its ReplicaSets and its Events.
func TestParseDescription(t *testing.T) {
	set := func(name string, size int32) []*appsv1.ReplicaSet {
		return []*appsv1.ReplicaSet{{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.ReplicaSetSpec{Replicas: new(size)}, Status: appsv1.ReplicaSetStatus{Replicas: size}}}
	}
	condition := func(kind appsv1.DeploymentConditionType, reason string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{Type: kind, Status: corev1.ConditionTrue, Reason: reason}
	}
	said := func(message string) corev1.Event {
		return corev1.Event{Type: "Normal", Reason: "ScalingReplicaSet", Message: message,
			Source: corev1.EventSource{Component: "deployment-controller"}}
	}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "echo"},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: &metav1.LabelSelector{}, Strategy: appsv1.DeploymentStrategy{
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: percent(30), MaxUnavailable: percent(10)}}},
		Status: appsv1.DeploymentStatus{UpdatedReplicas: 1, Replicas: 4, AvailableReplicas: 3, UnavailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{condition("Progressing", "ReplicaSetUpdated"),
				condition("Available", "MinimumReplicasAvailable")}},
	}
	text, err := describe.DefaultObjectDescriber.DescribeObject(d, set("echo-5c8d", 3), set("echo-77fb", 1),
		&corev1.EventList{Items: []corev1.Event{said("Scaled up replica set echo-77fb from 0 to 1"),
			said("Scaled up replica set echo-5c8d from 0 to 3")}})
	if err != nil {
		t.Fatal(err)
	}
	want := description{
		pods:       "3 desired | 1 updated | 4 total | 3 available | 1 unavailable",
		conditions: "Available True MinimumReplicasAvailable, Progressing True ReplicaSetUpdated",
		limits:     "10% max unavailable, 30% max surge",
		sets:       "v2 (1/1 replicas created) beside v1 (3/3 replicas created)",
		scalings:   "Scaled up replica set v1 from 0 to 3, Scaled up replica set v2 from 0 to 1",
	}
	got := parseDescription(text, map[string]string{"echo-5c8d": "v1", "echo-77fb": "v2"})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(description{})); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
	if diff := cmp.Diff([]string{"Available True", "Progressing True"}, got.statuses()); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}
