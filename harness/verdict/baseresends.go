package verdict

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/harness/verdict/statistics"
)

// oneIn is of how many recordings that chance alone would make fail only one does: networks lose packets in every recording, and each
// scenario looks. [statistics.Exceeds] by itself is wrong in one of 20.
const oneIn = 500

// usualResends says that replies which waited for TCP may have nothing to do with the rollout: the network loses packets without one. It is
// empty if one of them did not wait for TCP, or if more of them did, on all lanes or on one, than the base makes likely. The base of
// clients in the cluster are the replies before the rollout and those past the Service. A client outside comes another way, of which only
// the time before the rollout tells.
func (a args) usualResends(slow []timeline.SlowReply) (why string) {
	if slices.ContainsFunc(slow, func(s timeline.SlowReply) bool { return !s.Cause.Resent() }) {
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
		exceeds := func(since timeline.Resends) bool {
			return statistics.Exceeds(since.Resent, since.Of, base.Resent, base.Of, (1+len(lanes))*oneIn/20)
		}
		for _, lane := range lanes {
			on := slices.DeleteFunc(slices.Clone(slow), func(s timeline.SlowReply) bool { return s.Lane != lane.ID })
			since := timeline.Resends{Resent: len(on), Of: lane.Summary.GoodSinceBegun}
			all.Resent, all.Of = all.Resent+since.Resent, all.Of+since.Of
			if exceeds(since) {
				return ""
			}
		}
		switch {
		case exceeds(all):
			return ""
		case all.Resent == 0 || why != "":
		case base.Resent == 0:
			why = fmt.Sprintf("too few to tell from packet loss (0 of %s otherwise)", phrase.Number(base.Of))
		default:
			why = fmt.Sprintf("no more than otherwise (%s of %s)", phrase.Number(base.Resent), phrase.Number(base.Of))
		}
	}
	return why
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
