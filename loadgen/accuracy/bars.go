package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// bar is how far a measured length may be off: a lane looks once an interval, and 1 ms is for the program.
func (t trial) bar() time.Duration { return t.interval() + time.Millisecond }

// disturbance is how long a request near the end of a window may take, from when it was due. Up to 1.1 ms of it is
// ordinary: the timers of a Go program that waits are that coarse. What takes longer was kept from running.
const disturbance = 2 * time.Millisecond

// disturbed reports whether the machine was busy with other things when the window began or ended. It is decided
// without looking at what was measured: such a sample counts neither way.
func (s sample) disturbed() bool { return s.late > disturbance }

// heldUp reports whether the machine did not let a lane keep its rate: a hundredth of its requests were sent 10 ms
// late or later, or one in a hundred was not sent. Failures of such a lane are as likely its own.
func (o outcome) heldUp() bool {
	return o.lag > 10*time.Millisecond || o.rate < 0.99*float64(o.trial.rate)
}

// must reports whether a window is long enough that the lane has to find it.
func (s sample) must() bool { return s.injected >= 2*s.trial.interval() }

func (s sample) found() bool { return s.measured > 0 }

// off is how far the measured length is from the injected one, either way; 0 when the window was missed.
func (s sample) off() time.Duration {
	if !s.found() {
		return 0
	}
	return (s.measured - s.injected).Abs()
}

func (s sample) row() string {
	return fmt.Sprintf("%s, %s", s.trial.row(), s.length)
}

func (t trial) row() string { return fmt.Sprintf("%s, %d/s %s", t.kind, t.rate, t.conn) }

// broken says which bar a sample misses, in words; empty when none.
func (s sample) broken() string {
	switch {
	case !s.found() && s.must():
		return fmt.Sprintf("%s: a window of %s was not found", s.row(), s.injected)
	case s.off() > s.trial.bar():
		return fmt.Sprintf("%s: a window of %s was measured as %s, off by %s, more than %s; a request took up to %s",
			s.row(), s.injected, s.measured, s.off(), s.trial.bar(), s.late)
	default:
		return ""
	}
}

// counted lists the samples that were not disturbed.
func (o outcome) counted() []sample {
	return slices.DeleteFunc(slices.Clone(o.samples), sample.disturbed)
}

// again is the trial of the windows that were disturbed.
func (o outcome) again() trial {
	t := o.trial
	t.lengths = nil
	t.seed += 100
	for _, s := range o.samples {
		if s.disturbed() {
			t.lengths = append(t.lengths, s.length)
		}
	}
	return t
}

// broken lists the bars a trial misses, one sentence each.
func (o outcome) broken() []string {
	var found []string
	for _, s := range o.counted() {
		if why := s.broken(); why != "" {
			found = append(found, why)
		}
	}
	if o.heldUp() {
		return found
	}
	if n := len(o.invented); n > 0 {
		found = append(found, fmt.Sprintf("%s: invented %d outages, the first of %s", o.trial.row(), n, o.invented[0]))
	}
	if len(o.miscounted) > 0 {
		found = append(found, o.trial.row()+": "+strings.Join(o.miscounted, ", "))
	}
	return found
}
