package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Window is a span of time, [From, To). To is never before From.
type Window struct {
	From        time.Duration `json:"from"`
	To          time.Duration `json:"to"`
	Uncertainty time.Duration `json:"uncertainty,omitzero"` // of its length
}

// Length returns how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// Touches reports whether a time between two moments may overlap the window, given its uncertainty.
func (w Window) Touches(from, to time.Duration) bool {
	return w.From-w.Uncertainty <= to && from-w.Uncertainty <= w.To
}

// surelyHolds reports whether a moment was certainly in the window, given its uncertainty.
func (w Window) surelyHolds(at time.Duration) bool {
	return w.From+w.Uncertainty <= at && at+w.Uncertainty <= w.To
}

// surely narrows the window to where a request of a lane was certainly sent in it, by the clock of the lane's client.
func (w Window) surely(l Lane) (from, to time.Duration) {
	u := l.uncertainty + w.Uncertainty
	return w.From + u, w.To - u
}

// MixedWindow returns when both versions answered on some lanes: from the first reply of the new version to the last of the old one, both
// by the end of the reply. A clean cut has length zero. It is absent when a version never answered or both are the same.
func (t Timeline) MixedWindow(lanes []Lane) (w Window, ok bool) {
	w, ok = t.overlap(lanes)
	w.To = max(w.From, w.To)
	return w, ok
}

// Pause returns how long no version answered on some lanes between the last reply of the old version and the first of the new one, both by
// the end of the reply; negative when both answered. It is absent when the mixed window is.
func (t Timeline) Pause(lanes []Lane) (pause Elapsed, ok bool) {
	w, ok := t.overlap(lanes)
	return Elapsed{-w.Length(), w.Uncertainty}, ok
}

// overlap returns the mixed window, but with a negative length when the old version's last reply came first.
func (t Timeline) overlap(lanes []Lane) (w Window, ok bool) {
	first, seenNew := latestReply(lanes, t.New, func(r *Replies) time.Duration { return -r.FirstEnd })
	last, seenOld := latestReply(lanes, t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !seenNew || !seenOld || t.Old == t.New {
		return Window{}, false
	}
	return Window{From: -first.At, To: last.At, Uncertainty: last.Since(first).Uncertainty}, true
}

// StatusGap returns how long after the status-done mark the old version completed its last reply on some lanes;
// negative when that came first. It is absent without the mark or an old reply.
func (t Timeline) StatusGap(lanes ...Lane) (gap Elapsed, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	last, seen := latestReply(lanes, t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !marked || !seen || t.Old == t.New {
		return Elapsed{}, false
	}
	return last.Since(Time{At: done}), true
}

// latestReply returns the latest of the times that of returns for a version's replies on some lanes. A lane whose clock is
// uncertain enough may have the latest although another's is larger; then the result belongs to no single clock.
func latestReply(lanes []Lane, version string, of func(*Replies) time.Duration) (best Time, seen bool) {
	var all []Time
	for _, lane := range lanes {
		for b, r := range lane.replies {
			if b.version == version {
				all = append(all, lane.Time(of(r)))
			}
		}
	}
	if len(all) == 0 {
		return Time{}, false
	}
	best = slices.MaxFunc(all, func(a, b Time) int { return cmp.Compare(a.At, b.At) })
	earliest, last, clock := best.At-best.Err, best.At+best.Err, best.Clock
	for _, l := range all {
		earliest, last = max(earliest, l.At-l.Err), max(last, l.At+l.Err)
	}
	for _, l := range all {
		if l.Clock != best.Clock && l.At+l.Err > earliest {
			clock = "several, of " + version
		}
	}
	return Time{At: best.At, Clock: clock, Err: max(last-best.At, best.At-earliest)}, true
}

// SentIn says whether a hit was sent in one of the windows.
func (l Lane) SentIn(h Hit, windows []Window) Truth {
	in := No
	for _, w := range windows {
		from, to := w.surely(l)
		u := l.uncertainty + w.Uncertainty
		switch {
		case from <= h.Sent && h.Sent < to:
			return Yes
		case w.From <= h.Sent+u && h.Sent-u < w.To:
			in = Unknown
		}
	}
	return in
}

// SentAfter returns how long after a moment on the recorder's clock one of the lane's hits was sent.
func (l Lane) SentAfter(sent, moment time.Duration) Elapsed {
	return l.Time(sent).Since(Time{At: moment})
}
