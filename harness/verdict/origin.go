package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// An origin says which nodes and pods some replies have in common, which tells a node that loses packets from a slow pod.
type origin struct {
	brief, long string
	follows     string // what caused it, for a headline
}

// originOf returns the origin of good replies, of at least one.
func originOf(hits []timeline.Hit, tl timeline.Timeline) origin {
	const thatNode = ": that node's network"
	from := map[string]string{} // lane -> where its client ran
	for _, lane := range tl.Lanes {
		from[lane.ID] = cmp.Or(lane.Node, "outside")
	}
	clients := counts(hits, func(h timeline.Hit) string { return from[h.Lane] })
	pods := counts(hits, func(h timeline.Hit) string { return h.By.Pod })
	delete(pods, "")
	client, pod := slices.Min(slices.Collect(maps.Keys(clients))), ""
	if len(pods) > 0 {
		pod = slices.Min(slices.Collect(maps.Keys(pods)))
	}
	o := origin{brief: fmt.Sprintf("to %s", phrase.Count(len(clients), "node")), long: "to " + mostFirst("%s (%d)", clients)}
	if len(pods) > 0 {
		o.brief += fmt.Sprintf(" by %s", phrase.Count(len(pods), "pod"))
		o.long += ", by " + mostFirst("%s (%d)", pods)
	}
	switch {
	case len(clients) == 1 && len(pods) == 1:
		o.brief = fmt.Sprintf("all to %s by %s", client, pod)
	case len(clients) == 1:
		o.brief, o.follows = fmt.Sprintf("all to %s", client), thatNode
		if len(pods) > 1 {
			o.brief += fmt.Sprintf(", by %d pods", len(pods))
		}
	case len(pods) == 1:
		o.brief, o.follows = fmt.Sprintf("all by %s, to %d nodes", pod, len(clients)), ": that pod"
	default:
		for _, node := range slices.Sorted(slices.Values([]string{from[hits[0].Lane], hits[0].By.Node})) {
			if node != "" && !slices.ContainsFunc(hits, func(h timeline.Hit) bool { return node != from[h.Lane] && node != h.By.Node }) {
				o.brief, o.follows = fmt.Sprintf("all to or by pods on %s", node), thatNode
			}
		}
	}
	return o
}
