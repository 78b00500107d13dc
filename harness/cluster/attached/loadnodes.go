package attached

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/cluster"
)

// loadNodes returns the names of the nodes that carry load: those that may be drained and, up to most, others that are ready and
// take any pod. It takes one node of each zone before a second one of any zone.
func loadNodes(nodes []corev1.Node, drain []string, most int) []string {
	names := slices.Clone(drain)
	zones := map[string][]string{}
	for _, node := range nodes {
		if takesPods(node) && !slices.Contains(drain, node.Name) {
			zone := node.Labels[corev1.LabelTopologyZone]
			zones[zone] = append(zones[zone], node.Name)
		}
	}
	for rank := 0; len(zones) > 0 && len(names) < most; rank++ {
		for _, zone := range slices.Sorted(maps.Keys(zones)) {
			slices.Sort(zones[zone])
			if rank >= len(zones[zone]) {
				delete(zones, zone)
			} else if len(names) < most {
				names = append(names, zones[zone][rank])
			}
		}
	}
	slices.Sort(names)
	return names
}

func takesPods(node corev1.Node) bool {
	tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule })
	return !tainted && cluster.TakesLinuxPods(node)
}
