package reports

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// newPodLags collects what was seen of each old pod on each node, sorted by both.
func newPodLags(tl timeline.Timeline) []model.PodLag {
	left := tl.EndpointsLeft()
	var all []model.PodLag
	of := func(pod, node string) *model.PodLag {
		i := slices.IndexFunc(all, func(l model.PodLag) bool { return l.Pod == pod && l.Node == node })
		if i < 0 {
			i = len(all)
			all = append(all, model.PodLag{Pod: pod, Node: node, Left: millis(left[pod].At)})
		}
		return &all[i]
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
	slices.SortFunc(all, func(a, b model.PodLag) int { return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node)) })
	return all
}
