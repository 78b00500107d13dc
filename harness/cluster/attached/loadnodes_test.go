package attached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node returns a node that is ready, with changes.
func node(name string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	for _, c := range change {
		c(&n)
	}
	return n
}

func TestLoadNodes(t *testing.T) {
	zone := func(name string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Labels[corev1.LabelTopologyZone] = name }
	}
	taint := func(effect corev1.TaintEffect) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "team", Effect: effect}} }
	}
	for _, row := range []struct {
		sentence string
		nodes    []corev1.Node
		most     int
		want     []string
	}{
		{"all of a few", []corev1.Node{node("b"), node("a")}, 3, []string{"a", "b"}},
		{"the first of many", []corev1.Node{node("c"), node("b"), node("a")}, 2, []string{"a", "b"}},
		{"one of each zone before two of one",
			[]corev1.Node{node("a", zone("x")), node("b", zone("x")), node("c", zone("y"))}, 2, []string{"a", "c"}},
		{"zones of different sizes",
			[]corev1.Node{node("a", zone("x")), node("b", zone("y")), node("c", zone("y")), node("d", zone("y"))}, 3, []string{"a", "b", "c"}},
		{"none that is cordoned",
			[]corev1.Node{node("a", func(n *corev1.Node) { n.Spec.Unschedulable = true }), node("b")}, 3, []string{"b"}},
		{"none that runs Windows",
			[]corev1.Node{node("a", func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" }), node("b")}, 3, []string{"b"}},
		{"none with a taint",
			[]corev1.Node{node("a", taint(corev1.TaintEffectNoSchedule)), node("b", taint(corev1.TaintEffectNoExecute)),
				node("c")}, 3, []string{"c"}},
		{"one with a PreferNoSchedule taint", []corev1.Node{node("a", taint(corev1.TaintEffectPreferNoSchedule))}, 3, []string{"a"}},
		{"none that is not ready",
			[]corev1.Node{node("a", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })}, 3, nil},
		{"no nodes", nil, 3, nil},
	} {
		if diff := cmp.Diff(row.want, loadNodes(row.nodes, nil, row.most)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

// Nodes that may be drained carry load, so that clients on them see the drain.
func TestNodesToDrainCarryLoad(t *testing.T) {
	nodes := []corev1.Node{node("a"), node("b"), node("c"), node("d")}
	for most, want := range map[int][]string{1: {"b", "d"}, 2: {"b", "d"}, 3: {"a", "b", "d"}} {
		if diff := cmp.Diff(want, loadNodes(nodes, []string{"d", "b"}, most)); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", most, diff)
		}
	}
}
