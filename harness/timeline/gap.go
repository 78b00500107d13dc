package timeline

import (
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Gap is a time in which a lane got no good reply: from one, or its first request, to the next, or its last request. A way on which packets are dropped makes one even where
// no request fails: TCP sends a lost SYN again after 1 s (RFC 6298, 2).
type Gap struct {
	From, To time.Duration
	Period   time.Duration // of the lane's requests
}

// Length is how long the lane got no good reply that it could have got: as it looks once in a period, that is shorter by one than
// from reply to reply, and wrong by up to a period either way.
func (g Gap) Length() time.Duration { return max(0, g.To-g.From-g.Period) }

// longestGap is the longest of a lane, between moments that may bound one. Where its agent was away nobody knows what a client would
// have got.
func longestGap(moments []time.Duration, period time.Duration, absences []evidence.Absence) Gap {
	slices.Sort(moments)
	longest := Gap{Period: period}
	for i := 1; i < len(moments); i++ {
		g := Gap{From: moments[i-1], To: moments[i], Period: period}
		if g.To-g.From > longest.To-longest.From && !wasAway(absences, g.From, g.To) {
			longest = g
		}
	}
	return longest
}

func wasAway(absences []evidence.Absence, from, to time.Duration) bool {
	_, was := awayBetween(absences, from, to)
	return was
}
