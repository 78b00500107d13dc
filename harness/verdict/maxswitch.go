package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxSwitch expects that d after the write that begins the rollout every new connection goes to the new version: none sent later
// is answered by the old one.
func MaxSwitch(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxSwitch().ID, Max: d, Conn: evidence.Fresh}
}

func maxSwitch() Rule {
	return Rule{
		ID: "max-switch", Claim: "clients with new connections are answered by the new version alone soon after the switch was written",
		Lanes: ServiceLanes, BoundsSync: true, judge: judgeMaxSwitch,
		Unit: "reply", Untested: "no request sent after the switch had to be over was answered",
		exposed: repliesAfterSwitch,
		needs:   underLoad(evidence.AboutReplies),
	}
}

// repliesAfterSwitch are those that would have been too late for the old version, in whole seconds.
func repliesAfterSwitch(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) (n int) {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return 0
	}
	from := int((begun + x.Max + time.Second - 1) / time.Second)
	for _, lane := range lanes {
		n += sum(lane.RepliesOf(tl.New).PerSecond, from, len(lane.RepliesOf(tl.New).PerSecond))
	}
	return n
}

func judgeMaxSwitch(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return missing(evidence.RolloutBegun)
	}
	outcome, slowest, on, switched := Pass, timeline.Elapsed{}, "", 0
	for _, lane := range lanes {
		old, next := lane.RepliesOf(tl.Old), lane.RepliesOf(tl.New)
		if old.Count == 0 || next.Count == 0 {
			return undecided(fmt.Sprintf("%s got %s by %s and %d by %s", lane.ID, phrase.Count(old.Count, "reply"), tl.Old, next.Count, tl.New))
		}
		switched += next.Count
		took := lane.SentAfter(old.Last, begun)
		if kept := within(took, x.Max); on == "" || worse(kept, outcome) || kept == outcome && took.Length > slowest.Length {
			outcome, slowest, on = kept, took, lane.ID
		}
	}
	if on == "" {
		return undecided("0 lanes with new connections were seen")
	}
	return orUncertain(Finding{
		Outcome: outcome,
		Breaches: []Breach{{Kind: ALag, In: timeline.Window{From: begun, To: begun + slowest.Length}, Late: slowest.Length - x.Max,
			By: append(timeline.ControlPlane(), timeline.Actor{Program: timeline.KubeProxy})}},
		Headline: fmt.Sprintf("the last new connection went to %s %s after the switch was written, %s allowed",
			tl.Old, phrase.Duration(max(0, slowest.Length)), phrase.Duration(x.Max)),
		Facts: []Detail{{"lane", on}, {"switched after", phrase.Elapsed(slowest)}},
		Because: fmt.Sprintf("of %s with new connections %s was the last to send one that %s answered, %s after the switch was written, %s allowed; "+
			"%s by %s came since", phrase.Count(len(lanes), "lane"), on, tl.Old, phrase.Elapsed(slowest), phrase.Seconds(x.Max),
			phrase.Count(switched, "reply"), tl.New),
	})
}
