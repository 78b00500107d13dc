package loadgen

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A plan is when the requests of a lane are owed: the first one an interval after the load began, and so on.
type plan struct {
	interval time.Duration
	skipped  uint64 // requests that an earlier process of the agent sent or left out
}

func planOf(lane evidence.Lane) plan { return plan{interval: time.Second / time.Duration(lane.Rate)} }

// number is the number within the lane of the plan's n-th request, from 0.
func (p plan) number(n uint64) uint64 { return p.skipped + n }

// resumed is the plan from its first number on that is not below one and is owed later than so long after the load began.
func (p plan) resumed(unsent uint64, after time.Duration) plan {
	owed := uint64(max(0, after) / p.interval) // number of the first request owed later
	p.skipped = max(owed, unsent)
	return p
}

// due is when the n-th request is owed, after the load began.
func (p plan) due(n uint64) time.Duration { return time.Duration(p.number(n)+1) * p.interval }

// A pacer is vegeta's word for who says when to send. This one keeps to the instant agreed on, and not to the
// one at which vegeta woke up.
type pacer struct {
	plan
	began time.Time
}

// Pace is how long to wait before request n of the plan. It never ends the load.
func (p pacer) Pace(_ time.Duration, n uint64) (wait time.Duration, stop bool) {
	return time.Until(p.began.Add(p.due(n))), false
}

// Rate is the plan's, per second.
func (p pacer) Rate(time.Duration) float64 { return float64(time.Second) / float64(p.interval) }
