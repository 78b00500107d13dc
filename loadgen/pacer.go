package loadgen

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A plan says when the requests of a lane are due: the first one an interval after the load began, and so on.
type plan struct {
	interval time.Duration
	skipped  uint64 // requests that an earlier process of the agent sent or left out
}

func planOf(lane evidence.Lane) plan { return plan{interval: time.Second / time.Duration(lane.Rate)} }

// number returns the number in the lane of the plan's n-th request, from 0.
func (p plan) number(n uint64) uint64 { return p.skipped + n }

// resumed returns the plan without the numbers below unsent and those that are due up to after, counted from the beginning of the
// load.
func (p plan) resumed(unsent uint64, after time.Duration) plan {
	owed := uint64(max(0, after) / p.interval) // number of the first request due later
	p.skipped = max(owed, unsent)
	return p
}

// due returns when the n-th request is due, counted from the beginning of the load.
func (p plan) due(n uint64) time.Duration { return time.Duration(p.number(n)+1) * p.interval }

// A pacer is a [vegeta.Pacer] that counts from the start of the load, not from when vegeta began.
type pacer struct {
	plan
	began time.Time
}

// Pace returns how long to wait before request n of the plan. It never ends the load.
func (p pacer) Pace(_ time.Duration, n uint64) (wait time.Duration, stop bool) {
	return time.Until(p.began.Add(p.due(n))), false
}

// Rate returns the plan's requests per second.
func (p pacer) Rate(time.Duration) float64 { return float64(time.Second) / float64(p.interval) }
