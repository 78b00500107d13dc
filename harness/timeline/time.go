package timeline

import (
	"math"
	"time"

	"example.com/rollcall/harness/evidence"
)

const never = time.Duration(math.MaxInt64)

// A Time is a moment on the recorder's clock, and how wrong it may be.
type Time struct {
	At    time.Duration
	Clock string        // the node whose clock it was read from; empty: the recorder's
	Err   time.Duration // of that clock, either way
	Late  time.Duration // the moment may have been this much earlier, since it was noted late
}

// Since returns how long t was after u. Between two times of one clock, the clock's error cancels out. A time that was noted late makes
// the duration wrong by as much; of two, the larger counts.
func (t Time) Since(u Time) Elapsed {
	e := Elapsed{t.At - u.At, max(t.Late, u.Late)}
	if t.Clock != u.Clock {
		e.Uncertainty += t.Err + u.Err
	}
	return e
}

// NotAfter says whether t was before u, or at the same moment.
func (t Time) NotAfter(u Time) Truth { return t.Since(u).AtMost(0) }

// AsNoted returns the moment at which t was noted, as if that had not been late.
func (t Time) AsNoted() Time {
	t.Late = 0
	return t
}

// An Elapsed is a duration, and how wrong it may be.
type Elapsed struct{ Length, Uncertainty time.Duration }

// AtMost says whether the duration is at most a limit.
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

// AtLeast says whether the duration is at least that long.
func (e Elapsed) AtLeast(least time.Duration) Truth {
	return Elapsed{-e.Length, e.Uncertainty}.AtMost(-least)
}

// A Truth is the answer to a question that the clocks may be too uncertain to decide.
type Truth uint8

// The truths.
const (
	Unknown Truth = iota
	No
	Yes
)

// timeOn returns a moment that was read from a clock and converted to the recorder's.
func (cs clocks) timeOn(clock string, at time.Duration) Time {
	return Time{At: at, Clock: clock, Err: cs[clock].uncertainty}
}

func (t Timeline) noted(e evidence.Event) Time { return t.clocks.timeOn(e.Clock, e.At) }

// seen returns when an event was noted, and how much earlier it may have happened: a watch is as late as the API server, and a node's
// rules may not have been seen for a while. Events of pods' logs have their own time.
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

// TimeOf returns when an event was noted, and how much earlier it may have happened.
func (t Timeline) TimeOf(e evidence.Event) Time { return t.seen(e) }

// Time returns a moment by the clock of the lane's client.
func (l Lane) Time(at time.Duration) Time { return Time{At: at, Clock: l.Node, Err: l.uncertainty} }
