package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/statistics"
)

// usualResends says that slow replies may have nothing to do with the rollout: the network loses packets without one. It is empty if one of
// them did not wait for TCP, or if more of them did, on all lanes or on one, than the base explains. The base of clients in the cluster are
// the replies before the rollout and those past the Service, and without a slow one among them it explains none. A client outside comes
// another way, of which only the time before the rollout tells.
func (a args) usualResends(slow []timeline.SlowReply) string {
	if len(slow) == 0 || slices.ContainsFunc(slow, func(s timeline.SlowReply) bool { return s.Cause == timeline.SlowAnswer }) {
		return ""
	}
	for _, outside := range []bool{false, true} {
		of := func(lane timeline.Lane) bool { return (lane.Vantage == evidence.FromHost) == outside }
		var base, all timeline.Resends
		for _, lane := range a.tl.Lanes {
			if of(lane) {
				base.Resent, base.Of = base.Resent+lane.Undisturbed.Resent, base.Of+lane.Undisturbed.Of
			}
		}
		lanes := slices.DeleteFunc(slices.Clone(a.lanes), func(lane timeline.Lane) bool { return !of(lane) })
		for _, lane := range lanes {
			on := slices.DeleteFunc(slices.Clone(slow), func(s timeline.SlowReply) bool { return s.Lane != lane.ID })
			since := timeline.Resends{Resent: len(on), Of: lane.Summary.GoodSinceBegun}
			all.Resent, all.Of = all.Resent+since.Resent, all.Of+since.Of
			if statistics.Exceeds(since.Resent, since.Of, base.Resent, base.Of, 1+len(lanes)) {
				return ""
			}
		}
		if all.Resent > 0 && (!outside && base.Resent == 0 || statistics.Exceeds(all.Resent, all.Of, base.Resent, base.Of, 1+len(lanes))) {
			return ""
		}
	}
	return "no more than the network delays without a rollout"
}

// slowOf returns, of some replies, the slow ones with their causes. One that did not wait for TCP is an answer that took long.
func slowOf(lanes []timeline.Lane, hits []timeline.Hit) (slow []timeline.SlowReply) {
	known := timeline.Slow(lanes)
	for _, h := range hits {
		s := timeline.SlowReply{Hit: h}
		if i := slices.IndexFunc(known, func(k timeline.SlowReply) bool { return k.Lane == h.Lane && k.Seq == h.Seq }); i >= 0 {
			s.Cause = known[i].Cause
		}
		slow = append(slow, s)
	}
	return slow
}
