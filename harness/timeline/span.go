package timeline

import (
	"cmp"
	"slices"

	"rollcall/harness/evidence"
)

// A PodSpan is how long after one event of a pod another came; negative when it came before.
type PodSpan struct {
	Pod string
	Elapsed
}

// Spans lists, shortest first, how long after each pod's first event of one kind its first of another came. Lacking
// names the pods that had the one and never the other.
func (t Timeline) Spans(from, to evidence.EventKind) (spans []PodSpan, lacking []string) {
	begins, ends := t.firstOfPods(from), t.firstOfPods(to)
	for _, p := range t.Pods {
		begin, begun := begins[p.Pod]
		end, ended := ends[p.Pod]
		switch {
		case begun && ended:
			spans = append(spans, PodSpan{p.Pod, Elapsed{end.At - begin.At, t.clocks.between(begin.Clock, end.Clock)}})
		case begun:
			lacking = append(lacking, p.Pod)
		}
	}
	slices.SortStableFunc(spans, func(a, b PodSpan) int { return cmp.Compare(a.Length, b.Length) })
	return spans, lacking
}

// firstOfPods is each pod's first event of a kind, by the pod's name.
func (t Timeline) firstOfPods(kind evidence.EventKind) map[string]evidence.Event {
	first := map[string]evidence.Event{}
	for _, e := range t.Events {
		if _, seen := first[e.By.Pod]; e.Kind == kind && !seen {
			first[e.By.Pod] = e
		}
	}
	return first
}
