package timeline

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// A PodInterval is the time from one event of a pod to another; negative when the other came first.
type PodInterval struct {
	evidence.Server
	Elapsed
	Began, Ended evidence.Event
}

// Intervals lists, shortest first, the interval of each pod from its first event of one kind to its first of another, or to the first
// after that event. A rule that the same node wrote again does not count as gone: while endpoints leave one after another, a node leaves
// out the first, and routes to it again when no ready one is left (KEP-1669). Lacking names the pods that had the one and never the
// other. What a watch reported may have happened earlier, by as
// much as the API server was late: an interval is uncertain by the larger of both delays.
func (t Timeline) Intervals(from, to evidence.EventKind, after bool) (intervals []PodInterval, lacking []string) {
	for _, p := range t.Pods {
		begin, begun := p.first(from, nil)
		if !begun {
			continue
		}
		end, ended := p.first(to, func(e evidence.Event) bool {
			return (!after || t.noted(begin).NotAfter(t.noted(e)) != No) && !p.routedAgain(e)
		})
		if !ended {
			lacking = append(lacking, p.Pod)
			continue
		}
		intervals = append(intervals, PodInterval{p.Server, t.seen(end).Since(t.seen(begin)), begin, end})
	}
	slices.SortStableFunc(intervals, func(a, b PodInterval) int { return cmp.Compare(a.Length, b.Length) })
	return intervals, lacking
}

// routedAgain reports whether an event says that a rule of a node went which that node wrote again later.
func (p *Pod) routedAgain(e evidence.Event) bool {
	return e.Kind == evidence.RuleGone && slices.ContainsFunc(p.Events, func(later evidence.Event) bool {
		return later.Kind == evidence.RuleAdded && later.Object == e.Object && later.At > e.At
	})
}

// Stopping returns, for an interval that begins with the deletion, how long it lasted after the kubelet's Event that it stops the pod.
// It is absent without such an Event, and for other intervals.
func (t Timeline) Stopping(s PodInterval) (took Elapsed, ok bool) {
	if s.Began.Kind != evidence.PodDeleting {
		return Elapsed{}, false
	}
	begins, seen := t.pod(s.Pod).first(evidence.Reported, func(e evidence.Event) bool {
		return message.Stops(e.Report.Kind) && s.Began.At <= e.At && e.At <= s.Ended.At
	})
	return Elapsed{s.Ended.At - begins.At, s.Uncertainty}, seen
}
