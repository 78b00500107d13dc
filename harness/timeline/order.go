package timeline

import (
	"cmp"

	"rollcall/harness/evidence"
)

// Orders lists, by old pod and, where one of the events is that a node's rules left it out, by node, how long after one event
// another came; negative when it came before. What did not come is not in the list, nor are rules that came back.
func (t Timeline) Orders(a, b evidence.EventKind) []PodLag {
	orders := make(map[PodLag]Elapsed)
	begins, ends := t.byPodAndNode(a), t.byPodAndNode(b)
	for pod := range t.endpointRemovals() {
		for begunOn, begin := range begins[pod] {
			for endedOn, end := range ends[pod] {
				late := max(t.seenLate(begin), t.seenLate(end), t.unseen(begin), t.unseen(end))
				orders[PodLag{Pod: pod, Node: cmp.Or(begunOn, endedOn)}] = Elapsed{end.At - begin.At, t.clocks.between(begin.Clock, end.Clock) + late}
			}
		}
	}
	return sortedLags(orders)
}

// byPodAndNode maps each pod to its first event of a kind; of rules, to the last for each node, if the rules did not come back.
func (t Timeline) byPodAndNode(kind evidence.EventKind) map[string]map[string]evidence.Event {
	events := map[string]map[string]evidence.Event{}
	if kind != evidence.RuleGone {
		for pod, first := range t.firstOfPods(kind, nil) {
			events[pod] = map[string]evidence.Event{"": first}
		}
		return events
	}
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.RuleGone:
			if events[e.By.Pod] == nil {
				events[e.By.Pod] = map[string]evidence.Event{}
			}
			events[e.By.Pod][e.Object] = e
		case evidence.RuleAdded:
			delete(events[e.By.Pod], e.Object)
		}
	}
	return events
}
