package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
)

// Only nodes that pods of users can be on count as nodes that could have clients.
func TestClientNodes(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*corev1.Node)
		want     int
	}{
		{"a node like any other", func(*corev1.Node) {}, 1},
		{"one with a taint that some pods tolerate", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}, 1},
		{"a control plane", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
		}, 0},
		{"one that is cordoned", func(n *corev1.Node) { n.Spec.Unschedulable = true }, 0},
		{"one that is not ready", func(n *corev1.Node) { n.Status.Conditions = nil }, 0},
		{"one that runs Windows", func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" }, 0},
		{"one without a machine", func(n *corev1.Node) { n.Labels = map[string]string{"type": "virtual-kubelet"} }, 0},
	} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
		row.change(node)
		if n, err := clientNodes(t.Context(), fake.NewClientset(node)); n != row.want || err != nil {
			t.Errorf("%s counts %d, %v", row.sentence, n, err)
		}
	}
}

// One node that cannot be observed does not keep the rules of all others from being observed.
func TestObservable(t *testing.T) {
	node := func(name string, ready corev1.ConditionStatus, labels map[string]string) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
		return n
	}
	client := fake.NewClientset(node("b", corev1.ConditionTrue, nil), node("a", corev1.ConditionTrue, map[string]string{"type": "bare-metal"}),
		node("down", corev1.ConditionUnknown, nil), node("vk", corev1.ConditionTrue, map[string]string{"type": "virtual-kubelet"}),
		node("fargate", corev1.ConditionTrue, map[string]string{"eks.amazonaws.com/compute-type": "fargate"}))
	names, lacking, err := observable(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	want := []evidence.Feature{
		{Name: "node-rules of node down", Because: "it is not ready"},
		{Name: "node-rules of node fargate", Because: "it is a virtual node"},
		{Name: "node-rules of node vk", Because: "it is a virtual node"},
	}
	if diff := cmp.Diff(append([]any{"a", "b"}, any(want)), append([]any{names[0], names[1]}, any(lacking))); diff != "" || len(names) != 2 {
		t.Errorf("%q (-want +got):\n%s", names, diff)
	}
}
