package timeline

import "slices"

// shareServiceChange lays what pods refused that had just started, or were terminating, to a change of the Service since which ready pods
// refused requests of the same outage: its port is not theirs either.
func shareServiceChange(requests []*lost) {
	for _, by := range requests {
		if by.row.Stage != StageNotListening || by.condition != ConditionReady || by.since.Trigger != TriggerService {
			continue
		}
		i := slices.IndexFunc(by.lane.Summary.Outages, func(o Outage) bool { return o.From <= by.Sent && by.Sent < o.To })
		if i < 0 {
			continue
		}
		outage := by.lane.Summary.Outages[i]
		for _, l := range requests {
			if l.lane == by.lane && l.pod != nil && l.Fault == by.Fault && outage.From <= l.Sent && l.Sent < outage.To {
				l.row, l.since = by.row, by.since
			}
		}
	}
}
