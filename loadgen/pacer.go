package loadgen

import (
	"time"

	"rollcall/harness/evidence"
)

// A share is what one of a lane's agents sends of it: of the lane's numbers every of-th, from index on, each
// at the instant at which one agent alone would send it.
type share struct {
	index, of uint64
	interval  time.Duration // between requests of the whole lane
	skipped   uint64        // of the share, which an earlier process of the agent sent or left out
}

func shareOf(lane evidence.Lane, index int) share {
	return share{index: uint64(index), of: uint64(lane.AgentCount()), interval: time.Second / time.Duration(lane.Rate)}
}

// number is the number within the lane of the n-th request of the share, from 0.
func (s share) number(n uint64) uint64 { return (s.skipped+n)*s.of + s.index }

// resumed is the share from its first number on that is not below one and is owed later than so long after the load began.
func (s share) resumed(unsent uint64, after time.Duration) share {
	owed := uint64(max(0, after) / s.interval) // number of the first request owed later
	s.skipped = (max(owed, unsent) + s.of - 1 - s.index) / s.of
	return s
}

// due is when the n-th request is owed, after the load began: the lane's first one an interval after it.
func (s share) due(n uint64) time.Duration { return time.Duration(s.number(n)+1) * s.interval }

// part is the share of a count that is split among the agents, but at least 1.
func (s share) part(whole int) int {
	return max(1, (whole-int(s.index)+int(s.of)-1)/int(s.of))
}

// A pacer is vegeta's word for who says when to send. This one keeps to the instant agreed on, and not to the
// one at which vegeta woke up.
type pacer struct {
	share
	began time.Time
}

// Pace is how long to wait before request n of the share. It never ends the load.
func (p pacer) Pace(_ time.Duration, n uint64) (wait time.Duration, stop bool) {
	return time.Until(p.began.Add(p.due(n))), false
}

// Rate is the share's, per second.
func (p pacer) Rate(time.Duration) float64 {
	return float64(time.Second) / float64(p.interval) / float64(p.of)
}
