package loadgen

import "time"

// A clock converts times to offsets from the run's beginning. It compares wall clocks once, when made; from then on it is
// monotonic, whatever happens to the wall clock.
type clock struct {
	made   time.Time
	offset time.Duration // made, since the run began
}

func newClock(began time.Time) clock {
	now := time.Now()
	return clock{made: now, offset: now.Sub(began)}
}

func (c clock) at(t time.Time) time.Duration { return c.offset + t.Sub(c.made) }
