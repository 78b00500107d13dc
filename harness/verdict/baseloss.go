package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/statistics"
)

// A LossCount counts the requests that failed, by fault, of a number of requests.
type LossCount struct {
	Failed map[evidence.Fault]int `json:"failed,omitzero"`
	Of     int                    `json:"of"`
}

func (l *LossCount) add(failed []timeline.Hit, of int) {
	if l.Failed == nil {
		l.Failed = map[evidence.Fault]int{}
	}
	for _, h := range failed {
		l.Failed[h.Fault]++
	}
	l.Of += of
}

// exceeds reports whether a larger share failed than in base, which counts failures that the rollout cannot have caused: with all faults
// together, or with one of them. Chance alone makes it true in 5 % of cases at most, which the tests share.
func (l LossCount) exceeds(base LossCount) bool {
	all, allBase, tests := 0, 0, 1+len(l.Failed)
	for _, n := range base.Failed {
		allBase += n
	}
	for kind, n := range l.Failed {
		if statistics.Exceeds(n, l.Of, base.Failed[kind], base.Of, tests) {
			return true
		}
		all += n
	}
	return statistics.Exceeds(all, l.Of, allBase, base.Of, tests)
}

// baseLoss counts failed requests of all that their lanes sent. Lanes without a failure do not count: they would make the share smaller.
func baseLoss(tl timeline.Timeline, failed []timeline.Hit, sent func(timeline.LaneSummary) int) (base LossCount) {
	for _, lane := range tl.Lanes {
		of := slices.DeleteFunc(slices.Clone(failed), func(h timeline.Hit) bool { return h.Lane != lane.ID })
		if len(of) > 0 {
			base.add(of, sent(lane.Summary))
		}
	}
	return base
}

// unexplained reports whether the rule fails by more failures since the rollout began than the base loss of the reason explains.
func (q ruling) unexplained(r Reason, f Finding, tl timeline.Timeline) bool {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok || r.Base.Of == 0 || !q.rule.anyLoss || f.Outcome != Fail {
		return false
	}
	var since LossCount
	for _, lane := range tl.Lanes {
		if slices.Contains(q.lanes, lane.ID) {
			before := func(h timeline.Hit) bool { return failedBefore(h, begun) }
			since.add(slices.DeleteFunc(slices.Clone(lane.Failed), before), lane.Summary.SinceBegun)
		}
	}
	return since.exceeds(r.Base)
}
