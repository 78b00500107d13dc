package timeline

import (
	"cmp"
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A RuleSpan is a time in which a node's rules routed to a pod.
type RuleSpan struct {
	Node string
	From Time
	To   Time // when the rules stopped, or were seen last
	Gone bool // the rules stopped
}

// Holds says whether the rules routed to the pod at a moment.
func (s RuleSpan) Holds(at Time) Truth {
	from, to := s.From.NotAfter(at), s.To.NotAfter(at)
	switch {
	case from == No || to == Yes && s.Gone:
		return No
	case from == Yes && to == No:
		return Yes
	default:
		return Unknown
	}
}

// RulesTo lists, by node and time, when the rules of each observed node routed to a pod.
func (t Timeline) RulesTo(pod string) (spans []RuleSpan) {
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		open := map[string]int{} // version -> number of the span, from 1: a StatefulSet reuses names
		for _, e := range t.nodes[name].rules {
			switch i := open[e.By.Version]; {
			case e.By.Pod != pod:
			case e.Kind == evidence.RuleAdded && i == 0: // an observer that started again reports all rules again
				spans = append(spans, RuleSpan{Node: name, From: t.seen(e), To: t.clocks.timeOn(e.Clock, t.nodes[name].seen)})
				open[e.By.Version] = len(spans)
			case e.Kind == evidence.RuleGone && i > 0:
				spans[i-1].To, spans[i-1].Gone = t.seen(e), true
				delete(open, e.By.Version)
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b RuleSpan) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.From.At, b.From.At))
	})
	return spans
}
