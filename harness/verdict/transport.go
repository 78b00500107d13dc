package verdict

import (
	"fmt"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

const noArrivals = "what pods logged was not recorded, so requests cannot be followed to them"

func judgeNoLostReplies(_ evidence.Expectation, tl timeline.Timeline) Finding {
	lanes := tl.ServiceLanes()
	lost := slices.DeleteFunc(timeline.Failed(lanes), func(h timeline.Hit) bool { return !h.Lost() })
	arrived := 0
	for _, lane := range lanes {
		arrived += lane.Summary.Arrivals
	}
	switch {
	case !tl.Arrived:
		return Finding{Because: noArrivals}
	case arrived == 0:
		return Finding{Because: "0 requests through the Service reached a pod"}
	case len(lost) == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 of %d requests that reached a pod lost their reply", arrived)}
	}
	return Finding{
		Outcome:   Fail,
		Because:   fmt.Sprintf("%d of %d requests that reached a pod lost their reply (%s) %s", len(lost), arrived, faults(lost), account(lost, tl)),
		Witnesses: witnesses(lost),
	}
}

func judgeNoHiddenRetries(_ evidence.Expectation, tl timeline.Timeline) Finding {
	lanes := tl.LanesWhere(evidence.LaneKind.ShowsRetries)
	sent, again := requests(lanes), timeline.Repeated(lanes)
	switch {
	case sent == 0:
		return Finding{Because: "0 requests were sent through the Service"}
	case len(again) > 0:
		return Finding{
			Outcome:   Fail,
			Because:   fmt.Sprintf("%d of %d requests were sent more than once %s", len(again), sent, account(again, tl)),
			Witnesses: witnesses(again),
		}
	case !tl.Arrived:
		return Finding{Because: noArrivals}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("0 of %d requests were sent more than once", sent)}
}

func judgeOrderedSwitch(_ evidence.Expectation, tl timeline.Timeline) Finding {
	kept := slices.DeleteFunc(tl.ServiceLanes(), func(l timeline.Lane) bool { return !l.Kind().KeepsAlive() })
	switched := 0
	for _, lane := range kept {
		switched += lane.Summary.ByVersion[tl.New]
	}
	back := timeline.Returns(kept)
	switch {
	case switched == 0:
		return Finding{Because: fmt.Sprintf("0 replies on kept connections were by %s", tl.New)}
	case len(back) == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 connections on %s went back after %d replies by %s", count(len(kept), "lane"), switched, tl.New)}
	}
	return Finding{
		Outcome:   Fail,
		Because:   fmt.Sprintf("%s on connections that had given one by %s came from another version, %s", count(len(back), "reply"), tl.New, account(back, tl)),
		Witnesses: witnesses(back),
	}
}
