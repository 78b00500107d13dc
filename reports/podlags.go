package reports

import (
	"cmp"
	"maps"
	"slices"

	"rollcall/harness/timeline"
	"rollcall/reports/model"
)

// newPodLags puts what was seen of each old pod and node together, by pod and node.
func newPodLags(tl timeline.Timeline) []model.PodLag {
	left := tl.EndpointsLeft()
	type pair struct{ pod, node string }
	seen := make(map[pair]*model.PodLag)
	of := func(pod, node string) *model.PodLag {
		l := seen[pair{pod, node}]
		if l == nil {
			l = &model.PodLag{Pod: pod, Node: node, Left: millis(left[pod])}
			seen[pair{pod, node}] = l
		}
		return l
	}
	for _, l := range tl.DrainLags() {
		of(l.Pod, l.Node).DrainLag = new(millis(l.Lag.Length))
	}
	for _, l := range tl.RuleLags() {
		of(l.Pod, l.Node).RuleLag = new(millis(l.Lag.Length))
	}
	for _, t := range tl.Terminations() {
		if _, removed := left[t.Pod]; removed && t.Observed {
			of(t.Pod, t.Node).NeededDrain = new(millis(t.Needed))
		}
	}
	var all []model.PodLag
	for _, l := range slices.SortedFunc(maps.Values(seen), func(a, b *model.PodLag) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
	}) {
		all = append(all, *l)
	}
	return all
}
