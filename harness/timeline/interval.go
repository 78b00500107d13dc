package timeline

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A PodInterval is how long after one event of a pod another came; negative when it came before.
type PodInterval struct {
	evidence.Server
	Elapsed
	Began, Ended evidence.Event
}

// Intervals lists, shortest first, how long after each pod's first event of one kind its first of another came, or, where
// only what came after it counts, the first of those. Lacking names the pods that had the one and never the other. What a
// watch reported may have come earlier, by as much as the API server was late, which makes the interval longer at its begin and
// shorter at its end, and so it is uncertain by the larger of the two.
func (t Timeline) Intervals(from, to evidence.EventKind, after bool) (intervals []PodInterval, lacking []string) {
	for _, l := range t.lives {
		begin, begun := l.first(from, nil)
		if !begun {
			continue
		}
		end, ended := l.first(to, func(e evidence.Event) bool { return !after || t.noted(begin).By(t.noted(e)) != No })
		if !ended {
			lacking = append(lacking, l.Pod)
			continue
		}
		intervals = append(intervals, PodInterval{l.Server, t.seen(end).Since(t.seen(begin)), begin, end})
	}
	slices.SortStableFunc(intervals, func(a, b PodInterval) int { return cmp.Compare(a.Length, b.Length) })
	return intervals, lacking
}

// Stopping is how long before the end of an interval that the deletion begins the kubelet began to stop the pod, by its own word.
// It is absent without that, and of other intervals.
func (t Timeline) Stopping(s PodInterval) (took Elapsed, ok bool) {
	if s.Began.Kind != evidence.PodDeleting {
		return Elapsed{}, false
	}
	begins, seen := t.life(s.Pod).first(evidence.Reported, func(e evidence.Event) bool {
		_, stops := reported(e, stopping)
		return stops && s.Began.At <= e.At && e.At <= s.Ended.At
	})
	return Elapsed{s.Ended.At - begins.At, s.Uncertainty}, seen
}
