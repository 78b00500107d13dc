package standstill

import (
	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/cluster"
)

// Unfit returns the nodes that take no pods, by name, and why.
func Unfit(nodes []*corev1.Node) map[string]string {
	why := map[string]string{}
	for _, node := range nodes {
		if lacks := lacking(node); lacks != "" {
			why[node.Name] = lacks
		}
	}
	return why
}

func lacking(node *corev1.Node) string {
	switch {
	case !cluster.NodeReady(*node):
		return "not ready"
	case node.Spec.Unschedulable:
		return "cordoned"
	default:
		return ""
	}
}
