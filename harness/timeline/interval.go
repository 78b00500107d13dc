package timeline

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
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
	begins := t.firstOfPods(from, nil)
	var since map[string]evidence.Event
	if after {
		since = begins
	}
	ends := t.firstOfPods(to, since)
	for _, p := range t.Pods {
		begin, begun := begins[p.Pod]
		end, ended := ends[p.Pod]
		switch {
		case begun && ended:
			uncertain := t.clocks.between(begin.Clock, end.Clock) + max(t.seenLate(begin), t.seenLate(end))
			intervals = append(intervals, PodInterval{p.Server, Elapsed{end.At - begin.At, uncertain}, begin, end})
		case begun:
			lacking = append(lacking, p.Pod)
		}
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
	for _, e := range t.Events {
		_, stops := reported(e, stopping)
		if stops && e.By.Pod == s.Pod && s.Began.At <= e.At && e.At <= s.Ended.At {
			return Elapsed{s.Ended.At - e.At, s.Uncertainty}, true
		}
	}
	return Elapsed{}, false
}

// firstOfPods is each pod's first event of a kind, by the pod's name, and not before one of since, if there is any. An
// endpoint that went without having been seen as not ready has left ready then.
func (t Timeline) firstOfPods(kind evidence.EventKind, since map[string]evidence.Event) map[string]evidence.Event {
	first := map[string]evidence.Event{}
	for _, e := range t.Events {
		is := e.Kind == kind || kind == evidence.EndpointNotReady && e.Kind == evidence.EndpointGone
		if _, seen := first[e.By.Pod]; !is || seen {
			continue
		}
		if begin, begun := since[e.By.Pod]; !begun || e.At+t.clocks.between(begin.Clock, e.Clock) >= begin.At {
			first[e.By.Pod] = e
		}
	}
	return first
}

// seenLate is by how much an event may have come before it was noted: those of pods' logs have times of their own.
func (t Timeline) seenLate(e evidence.Event) time.Duration {
	if e.Clock != "" {
		return 0
	}
	return t.watchLag(e.At)
}
