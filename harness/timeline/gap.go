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

// longestGap returns the longest gap of a lane, from its hits by time sent and the ends of its good replies. Gaps in which its agent was
// away do not count.
func longestGap(sent []sentHit, ends []time.Duration, period time.Duration, absences []evidence.Absence) Gap {
	longest := Gap{Period: period}
	if len(sent) == 0 {
		return longest
	}
	slices.Sort(ends)
	from := sent[0].sent
	to := func(at time.Duration) {
		if _, away := awayBetween(absences, from, at); !away && at-from > longest.To-longest.From {
			longest.From, longest.To = from, at
		}
		from = max(from, at)
	}
	for _, end := range ends {
		to(end)
	}
	to(sent[len(sent)-1].sent)
	return longest
}
