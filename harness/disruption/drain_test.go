package disruption

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/fixtures"
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

// A run that dies leaves its node cordoned: the node says by whom, and only what that run did is undone.
func TestACordonedNodeSaysByWhom(t *testing.T) {
	const name = "rollcall-iptables-worker"
	expires := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	by := fixtures.Run{ID: "one", Expires: expires}
	for _, row := range []struct {
		sentence  string
		uncordons fixtures.Run
		owner     string // what the node's owner does meanwhile, as a patch
		cordoned  bool
	}{
		{"the run uncordons it", by, "", false},
		{"another run does not", fixtures.Run{ID: "two", Expires: expires}, "", true},
		{"whoever takes the mark off has it to himself", by, `{"metadata":{"annotations":{"rollcall.local/cordoned-by":null}}}`, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
			if err := cordon(t.Context(), client, name, by); err != nil {
				t.Fatal(err)
			}
			node, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || CordonedBy(*node) != by {
				t.Fatalf("cordoned by %+v, %v", CordonedBy(*node), err)
			}
			if row.owner != "" {
				_, err = client.CoreV1().Nodes().Patch(t.Context(), name, types.StrategicMergePatchType, []byte(row.owner), metav1.PatchOptions{})
			}
			if err = errors.Join(err, Uncordon(t.Context(), client, name, row.uncordons)); err != nil {
				t.Fatal(err)
			}
			node, err = client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || node.Spec.Unschedulable != row.cordoned {
				t.Errorf("cordoned: %t, want %t (%v)", node.Spec.Unschedulable, row.cordoned, err)
			}
			if !row.cordoned && len(node.Annotations) > 0 {
				t.Errorf("annotations %v stay", node.Annotations)
			}
		})
	}
}
