package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// lossesInto adds signs of when no pod could answer, or only terminating ones, and of a timer that closed connections.
func (t Timeline) lossesInto(seen Signs) {
	ended, _ := t.Mark(evidence.LoadEnded)
	var outage time.Duration
	for _, w := range t.NoneServing() {
		outage += max(0, min(w.To, ended)-w.From)
	}
	if outage > 0 {
		seen[NoneServing] = Sign{For: outage}
	}
	for _, w := range t.OnlyTerminating() {
		seen.longest(OnlyTerminating, Sign{Count: 1, For: min(w.To, ended) - w.From})
	}
	cut := cutConnections{}
	for _, c := range t.Causes() {
		for _, h := range c.Hits {
			if c.Stage == StageDropped && c.Condition == ConditionReady && h.Reused {
				pod, _ := t.Served(h)
				cut[pod.Pod] = append(cut[pod.Pod], h)
			}
		}
	}
	if age, by := cut.idle(); by {
		seen[IdleClosed] = Sign{Count: cut.count(), For: age}
	}
}
