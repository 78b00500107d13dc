package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// Replies of new pods count as cold if they took this many times as long as the median before the rollout, and this much longer at least.
// Our own choice: what clients would notice.
const (
	coldFactor = 5
	coldExcess = 100 * time.Millisecond
	leastCold  = 5 // replies
)

// coldInto adds the sign that pods of the new version, and no others, were slow after they had got ready, by the slowest replies of each
// lane.
func (t Timeline) coldInto(seen Signs) {
	cold := Sign{}
	for _, lane := range t.ServiceLanes() {
		limit := max(coldFactor*t.Usual(lane.ID), t.Usual(lane.ID)+coldExcess)
		for _, h := range lane.Slowest {
			if answerTime(&h.Hit) < limit {
				continue
			}
			pod := t.pod(h.By.Pod)
			if pod == nil || t.Old == t.New || h.By.Version != t.New {
				return
			}
			ready, is := pod.first(evidence.PodReady, nil)
			if !is || h.Sent < ready.At { // it waited for a pod to be there
				continue
			}
			cold.Within = max(cold.Within, h.Sent-ready.At)
			cold.Count, cold.For = cold.Count+1, max(cold.For, answerTime(&h.Hit))
		}
	}
	if cold.Count >= leastCold {
		seen[ColdStart] = cold
	}
}
