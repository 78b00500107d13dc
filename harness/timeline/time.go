package timeline

import (
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
)

const never = time.Duration(math.MaxInt64)

// A Time is a moment on the recorder's clock, and by how much it may be wrong.
type Time struct {
	At    time.Duration
	Clock string        // of the node that told it; empty: the recorder's
	Err   time.Duration // of that clock, either way
	Late  time.Duration // by how much it may have come before it was noted
}

// Since is how long after another moment it came. Two times of one clock are apart by exactly what it says. One that was noted late
// makes that shorter, or longer, by as much, and of two it is the larger.
func (t Time) Since(u Time) Elapsed {
	e := Elapsed{t.At - u.At, max(t.Late, u.Late)}
	if t.Clock != u.Clock {
		e.Uncertainty += t.Err + u.Err
	}
	return e
}

// By says whether it came before another moment, or just then.
func (t Time) By(u Time) Truth { return t.Since(u).AtMost(0) }

// AsNoted is the time at which it was noted, however late.
func (t Time) AsNoted() Time {
	t.Late = 0
	return t
}

// An Elapsed is a duration, and by how much it may be wrong.
type Elapsed struct{ Length, Uncertainty time.Duration }

// AtMost says whether it keeps a limit.
func (e Elapsed) AtMost(limit time.Duration) Truth {
	switch {
	case e.Length+e.Uncertainty <= limit:
		return Yes
	case e.Length-e.Uncertainty > limit:
		return No
	default:
		return Unknown
	}
}

// AtLeast says whether it is as long as that.
func (e Elapsed) AtLeast(least time.Duration) Truth {
	return Elapsed{-e.Length, e.Uncertainty}.AtMost(-least)
}

// A Truth is whether something is so, as far as the clocks tell.
type Truth uint8

// The truths.
const (
	Unknown Truth = iota
	No
	Yes
)

// told is a moment that a clock told, and that is on the recorder's clock.
func (cs clocks) told(clock string, at time.Duration) Time {
	return Time{At: at, Clock: clock, Err: cs[clock].uncertainty}
}

// noted is when an event was.
func (t Timeline) noted(e evidence.Event) Time { return t.clocks.told(e.Clock, e.At) }

// seen is when an event was noted, and by how much it may have come before: a watch is as late as the API server, and a node's rules may
// have been out of sight. What pods' logs say has a time of its own.
func (t Timeline) seen(e evidence.Event) Time {
	at := t.noted(e)
	switch {
	case e.Kind == evidence.RuleAdded || e.Kind == evidence.RuleGone:
		at.Late = t.node(e.Object).blind(e.At)
	case e.Clock == "":
		at.Late = t.watchLag(e.At)
	}
	return at
}

// Time is a moment by the clock of the lane's client.
func (l Lane) Time(at time.Duration) Time { return Time{At: at, Clock: l.Node, Err: l.uncertainty} }
