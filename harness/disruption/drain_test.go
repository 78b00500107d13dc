package disruption

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
)

// Whoever cordons a node of an existing cluster while Rollcall uses it finds it cordoned afterwards.
func TestDrainLeavesANodeCordoned(t *testing.T) {
	const name = "rollcall-iptables-worker"
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: true}})
	there := Stage{Attached: &paperCluster{T: t, mode: "iptables", client: client}, Note: func(evidence.Event) {}}
	const want = "node rollcall-iptables-worker is cordoned, perhaps by its owner"
	if err := (Drain{Node: Worker}).Do(t.Context(), there); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it is %v, want %s", err, want)
	}
	node, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || !node.Spec.Unschedulable {
		t.Errorf("it was uncordoned (%v)", err)
	}
}
