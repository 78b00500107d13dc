package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// samePace is by how many times more requests may have been lost after the first change than at the pace of before, and still count as lost
// at that pace: few losses vary by chance. Our own choice.
const samePace = 3

// setPace finds requests that ready pods lost at one pace, whatever changed: at a stage at which they had lost some before the first
// change, and not many more since, or at which they lost some over more than half of the load. Requests that only pods of the new
// version lost belong to the rollout.
func (t *Timeline) setPace(requests []*lost) {
	first, changed := t.FirstChange()
	begun, loaded := t.Mark(evidence.LoadBegun)
	ended, over := t.Mark(evidence.LoadEnded)
	if !changed || !loaded || !over {
		return
	}
	byStage := map[Stage][]*lost{}
	for _, l := range requests {
		if l.condition == ConditionReady {
			byStage[l.row.Stage] = append(byStage[l.row.Stage], l)
		}
	}
	for stage, group := range byStage {
		before := slices.IndexFunc(group, func(l *lost) bool { return l.Sent >= first }) // they are by time
		if before < 0 {
			before = len(group)
		}
		expected := float64(before) * (ended - first).Seconds() / max(time.Second, first-begun).Seconds()
		unexplained := !slices.ContainsFunc(group, func(l *lost) bool { return l.since.Trigger != TriggerUnknown })
		switch {
		case before > 0 && float64(len(group)-before) <= samePace*(expected+1),
			unexplained && before == 0 && !t.onlyNew(group) && group[len(group)-1].Sent-group[0].Sent > (ended-begun)/2:
			setSince(group, Change{Trigger: TriggerNothing})
			asReady(requests, stage)
		case unexplained && before == 0 && t.onlyNew(group):
			setSince(group, t.rollout())
		}
	}
}

func setSince(group []*lost, c Change) {
	for _, l := range group {
		l.since = c
	}
}

// asReady has requests count as lost at the same pace, at a stage at which pods lose some at any time: the first ones to go to a pod, and
// those to terminating pods that still served.
func asReady(requests []*lost, at Stage) {
	for _, l := range requests {
		switch {
		case l.row.Stage != at:
		case l.condition == ConditionNotAble && l.t.laterGood(l):
			l.condition, l.since = ConditionReady, Change{Trigger: TriggerNothing}
		case l.condition == ConditionTerminating && l.pod != nil && !l.over():
			l.since = Change{Trigger: TriggerNothing}
		}
	}
}

// onlyNew reports whether only pods of the new version lost the requests, although at the same pace those of the old one would have lost
// some.
func (t *Timeline) onlyNew(group []*lost) bool {
	if t.Old == t.New || slices.ContainsFunc(group, func(l *lost) bool { return l.version() != t.New }) {
		return false
	}
	byOld, byNew := 0, 0
	for _, lane := range t.ServiceLanes() {
		byOld, byNew = byOld+lane.Summary.ByVersion[t.Old], byNew+lane.Summary.ByVersion[t.New]
	}
	return float64(len(group))/float64(max(1, byNew))*float64(byOld) >= samePace
}
