package timeline

import (
	"cmp"
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

// untoldInto adds the sign of pods that ended and told no client to go, over protocols by which they could have said so ahead: a server of
// HTTP/1.1 can only with a reply.
func (t Timeline) untoldInto(seen Signs) {
	untold, told := map[evidence.Protocol]int{}, map[evidence.Protocol]bool{}
	for _, lane := range t.ServiceLanes() {
		for _, c := range lane.Connections {
			_, ended := t.olds[cmp.Or(c.By.Pod, c.Routed.Pod)].first(evidence.PodDeleting, nil)
			switch by := lane.Protocol; {
			case by == evidence.HTTP || !ended || !c.Cut():
			case c.ToldBy != "":
				told[by] = true
			default:
				untold[by]++
			}
		}
	}
	for by, n := range untold {
		if !told[by] {
			seen.longest(NeverTold, Sign{Count: n, Text: by.Name()})
		}
	}
}
