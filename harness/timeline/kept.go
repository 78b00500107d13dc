package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Keeping sums up the connections that a lane kept.
type Keeping struct {
	Opened int
	Cut    int    // since the rollout began
	Told   int    // of Cut, whose client was told to go before the end
	Back   Spread // from a cut until the next connection in the same place had its first reply
}

// Keeping sums up the connections that a lane kept. It is zero for a lane that kept none, and for recordings of earlier builds.
func (t Timeline) Keeping(lane Lane) (k Keeping) {
	back := counted{}
	for i, c := range lane.Connections {
		if c.Number == 0 {
			return Keeping{}
		}
		k.Opened++
		if !t.cutSinceBegun(lane, c) {
			continue
		}
		k.Cut++
		if c.ToldBy != "" {
			k.Told++
		}
		if after, is := backAfter(c, lane.Connections[i+1:]); is {
			back.addMicros(after)
		}
	}
	k.Back = back.spread()
	return k
}

func (t Timeline) cutSinceBegun(lane Lane, c Connection) bool {
	begun, ok := t.Mark(evidence.RolloutBegun)
	return ok && c.Cut() && lane.SentAfter(c.Ended, begun).Length >= 0
}

// backAfter returns how long after the end of a connection one of those opened later in its place had its first reply.
func backAfter(c Connection, later []Connection) (after time.Duration, is bool) {
	for _, next := range later {
		if next.Slot == c.Slot && next.Answered > 0 && next.Replied >= c.Ended {
			return next.Replied - c.Ended, true
		}
	}
	return 0, false
}
