package verdict

import (
	"cmp"

	"example.com/rollcall/harness/timeline"
)

// routedTo counts hits by the pod that their node routed them to, most first; empty if that is known for none.
func routedTo(hits []timeline.Hit) string {
	const unknown = "unknown"
	counts := map[string]int{}
	for _, h := range hits {
		to := unknown
		switch h.Routed.Routing {
		case timeline.RoutedToPod:
			to = cmp.Or(h.Routed.Pod, h.Routed.Address)
		case timeline.RoutedNowhere:
			to = "no pod"
			if h.Routed.InRules > 0 {
				to = "no pod though the node's rules routed to some"
			}
		case timeline.RoutingUnknown:
		}
		counts[to]++
	}
	if counts[unknown] == len(hits) {
		return ""
	}
	return mostFirst("%s %d", counts)
}
