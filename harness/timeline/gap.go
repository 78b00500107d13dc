package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Gap is a time in which a lane got no good reply: from one good reply, or the first request, to the next, or the last request. Dropped
// packets make a gap even where no request fails: TCP sends a lost SYN again after 1 s (RFC 6298, 2).
type Gap struct {
	From, To time.Duration
	Period   time.Duration // of the lane's requests
}

// Length returns for how long the lane got no good reply that it could have got. Since it sends one request a period, that is one period
// less than from reply to reply, and wrong by up to a period either way.
func (g Gap) Length() time.Duration { return max(0, g.To-g.From-g.Period) }

// gaps finds the longest gap of a lane, from its hits by time sent. Gaps in which its agent was away do not count.
type gaps struct {
	longest Gap
	any     bool            // a request was sent
	from    time.Duration   // when the last good reply before last ended or, if there was none, the first request was sent
	last    time.Duration   // when the last request was sent
	ends    []time.Duration // ascending: when good replies ended that did so after last
}

func (g *gaps) add(h sentHit, absences []evidence.Absence) {
	if !g.any {
		g.any, g.from = true, h.sent
	}
	over := 0
	for over < len(g.ends) && g.ends[over] <= h.sent { // no reply to a later request ends before them
		g.to(g.ends[over], absences)
		over++
	}
	g.ends, g.last = slices.Delete(g.ends, 0, over), h.sent
	if !h.failed {
		end := h.sent + h.took
		i, _ := slices.BinarySearch(g.ends, end)
		g.ends = slices.Insert(g.ends, i, end)
	}
}

// to ends a gap, and begins another.
func (g *gaps) to(at time.Duration, absences []evidence.Absence) {
	if _, away := awayBetween(absences, g.from, at); !away && at-g.from > g.longest.To-g.longest.From {
		g.longest.From, g.longest.To = g.from, at
	}
	g.from = max(g.from, at)
}

// end returns the longest gap once all hits were added.
func (g *gaps) end(period time.Duration, absences []evidence.Absence) Gap {
	for _, end := range g.ends {
		g.to(end, absences)
	}
	if g.any {
		g.to(g.last, absences)
	}
	g.longest.Period = period
	return g.longest
}
