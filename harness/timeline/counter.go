package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// windows holds the windows for which a lane counts its hits.
type windows struct{ terminating, noneServing, onlyTerminating, starting, maintenance, sinceChange, expected []Window }

func (w windows) all() []Window {
	return slices.Concat(w.terminating, w.noneServing, w.onlyTerminating, w.starting, w.maintenance, w.sinceChange, w.expected)
}

// A counter counts the hits of a lane that were sent before each end of a window, from its hits by time sent.
type counter struct {
	all     int
	moments []moment // ascending
	reached int      // how many of the moments
}

// A moment is one at which a lane counts how many hits had been sent.
type moment struct {
	at     time.Duration
	before int // known once a later hit was sent
}

func newCounter(l Lane, in windows) (c counter) {
	for _, w := range in.all() {
		from, to := w.surely(l)
		c.moments = append(c.moments, moment{at: from}, moment{at: to})
	}
	slices.SortFunc(c.moments, func(x, y moment) int { return cmp.Compare(x.at, y.at) })
	c.moments = slices.Compact(c.moments)
	return c
}

func (c *counter) add(sent time.Duration) {
	for c.reached < len(c.moments) && c.moments[c.reached].at <= sent {
		c.moments[c.reached].before = c.all
		c.reached++
	}
	c.all++
}

// before counts the hits that were sent before one of the moments, once all were added.
func (c counter) before(at time.Duration) int {
	i, _ := slices.BinarySearchFunc(c.moments, at, func(m moment, at time.Duration) int { return cmp.Compare(m.at, at) })
	if i >= c.reached {
		return c.all
	}
	return c.moments[i].before
}

// CountSent counts the hits that were certainly sent in windows that the timeline knew when it was joined, such as one by
// [Timeline.After] of an expectation of the run.
func (l Lane) CountSent(in ...Window) (n int) {
	for _, w := range in {
		from, to := w.surely(l)
		n += max(0, l.sent.before(to)-l.sent.before(from))
	}
	return n
}

// After returns the window that begins later than an expectation allows after its mark, and ends with its other mark, if it has one.
func (t Timeline) After(x evidence.Expectation) (w Window, ok bool) {
	from, ok := t.Mark(x.From)
	until, limited := t.Mark(x.To)
	if !limited {
		until = never
	}
	return Window{From: from + x.Max, To: max(from+x.Max, until)}, ok
}
