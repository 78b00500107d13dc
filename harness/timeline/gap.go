package timeline

import (
	"slices"
	"time"
)

// A Gap is a time in which a lane got no good reply: from one good reply, or the first request, to the next, or the last request. Dropped
// packets make a gap even where no request fails: TCP sends a lost SYN again after 1 s (RFC 6298, 2). Where replies take as long as they
// like, as streams do, the first one ends no gap.
type Gap struct {
	From, To time.Duration
	Period   time.Duration // of the lane's requests
}

// Length returns for how long the lane got no good reply that it could have got. Since it sends one request a period, that is one period
// less than from reply to reply, and wrong by up to a period either way.
func (g Gap) Length() time.Duration { return max(0, g.To-g.From-g.Period) }

// gaps finds the longest gap of a lane, from its hits by time sent. A time in which its agent was away does not count.
type gaps struct {
	period  time.Duration
	longest Gap
	unseen  []Gap           // see [LaneSummary.UnseenGaps]
	streams bool            // a reply takes as long as it likes: the first one may be long after its request
	began   bool            // a good reply ended
	any     bool            // a request was sent
	failed  bool            // one failed since from
	from    time.Duration   // when the last good reply before last ended or, if there was none, the first request was sent
	last    time.Duration   // when the last request was sent
	ends    []time.Duration // ascending: when good replies ended that did so after last
}

func (g *gaps) add(h sentHit, a away) {
	if !g.any {
		g.any, g.from = true, h.sent
	}
	over := 0
	for over < len(g.ends) && g.ends[over] <= h.sent { // no reply to a later request ends before them
		g.to(g.ends[over], a)
		over++
	}
	g.ends, g.last, g.failed = slices.Delete(g.ends, 0, over), h.sent, g.failed || h.failed
	if !h.failed {
		end := h.sent + h.answered
		i, _ := slices.BinarySearch(g.ends, end)
		g.ends = slices.Insert(g.ends, i, end)
	}
}

// to ends a gap, and begins another. One that lasted through an absence counts as one before it and one after it. It may have lasted all
// the time if requests failed, were in flight or waited for TCP to send a SYN again, just before the absence or after it.
func (g *gaps) to(at time.Duration, a away) {
	if g.streams && !g.began {
		g.began, g.from, g.failed = true, at, false
		return
	}
	whole := Gap{From: g.from, To: at, Period: g.period}
	if absence, is := a.between(g.from, at); is {
		before, after := whole, whole
		before.To, after.From = min(at, max(g.from, absence.Since)), max(g.from, absence.Until)
		g.note(before)
		g.note(after)
		if g.failed || len(a.inFlight(absence)) > 0 || max(before.Length(), after.Length()) >= SYNTimer {
			g.unseen = append(g.unseen, whole)
		}
	} else {
		g.note(whole)
	}
	g.from, g.failed = max(g.from, at), false
}

func (g *gaps) note(gap Gap) {
	if gap.To-gap.From > g.longest.To-g.longest.From {
		g.longest = gap
	}
}

// end ends the gaps that go on, once all hits were added.
func (g *gaps) end(a away) {
	for _, end := range g.ends {
		g.to(end, a)
	}
	if g.any {
		g.began = true // if no good reply ended, the gap is as long as the load
		g.to(g.last, a)
	}
	g.longest.Period = g.period
}
