package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/statistics"
)

// A LossCount is how many of some requests failed, by kind.
type LossCount struct {
	Failed map[evidence.Fault]int
	Of     int
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

// exceeds reports whether more failed than requests do whatever is done to the cluster: of all kinds together, or of one. Chance
// alone says so in 5 % of cases at most, for which each of the tests has its part.
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

// baseLoss is of the lanes that lost some of these requests, so that those which lost none do not make it smaller.
func baseLoss(tl timeline.Timeline, failed []timeline.Hit, sent func(timeline.LaneSummary) int) (base LossCount) {
	for _, lane := range tl.Lanes {
		of := slices.DeleteFunc(slices.Clone(failed), func(h timeline.Hit) bool { return h.Lane != lane.ID })
		if len(of) > 0 {
			base.add(of, sent(lane.Summary))
		}
	}
	return base
}

// unexplained reports whether the rule fails by more failures since the rollout began than those that the reason is about explain.
func (q ruling) unexplained(r Reason, f Finding, tl timeline.Timeline) bool {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok || r.Base.Of == 0 || !q.rule.anyLoss || f.Outcome != Fail {
		return false
	}
	var since LossCount
	for _, lane := range tl.Lanes {
		if slices.Contains(q.lanes, lane.ID) {
			before := func(h timeline.Hit) bool { return h.Sent < begun }
			since.add(slices.DeleteFunc(slices.Clone(lane.Failed), before), lane.Summary.SinceBegun)
		}
	}
	return since.exceeds(r.Base)
}
