package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Window is a span of time, [From, To). To is never before From.
type Window struct {
	From, To    time.Duration
	Uncertainty time.Duration // of its length
}

// Length is how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// MixedWindow is when both versions answered on service lanes with such connections, on all of them if conn is empty: from the
// first reply of the new one to the last of
// the old one, both by the end of the reply. A clean cut has length zero. It is absent when a
// version never answered or both are the same.
func (t Timeline) MixedWindow(conn evidence.Conn) (w Window, ok bool) {
	w, ok = t.overlap(conn)
	w.To = max(w.From, w.To)
	return w, ok
}

// Pause is how long nobody was answered between the last reply of the old version and the first of the new one,
// both by the end of the reply; negative when both answered. It is absent when the mixed window is.
func (t Timeline) Pause() (pause Elapsed, ok bool) {
	w, ok := t.overlap("")
	return Elapsed{-w.Length(), w.Uncertainty}, ok
}

// overlap is the mixed window, but of negative length when the old version's last reply came first.
func (t Timeline) overlap(conn evidence.Conn) (w Window, ok bool) {
	lanes := t.LanesWhere(func(k evidence.LaneKind) bool { return k.AsksApp() && (conn == "" || k.Conn == conn) })
	first, seenNew := latestReply(lanes, t.New, func(r *Replies) time.Duration { return -r.FirstEnd })
	last, seenOld := latestReply(lanes, t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !seenNew || !seenOld || t.Old == t.New {
		return Window{}, false
	}
	w = Window{From: -first.at, To: last.at}
	if first.clock != last.clock || first.clock == severalClocks {
		w.Uncertainty = first.uncertainty + last.uncertainty
	}
	return w, true
}

// StatusGap is how long after the status-done mark the old version still completed a reply;
// negative when its last reply came first. It is absent without the mark or an old reply.
func (t Timeline) StatusGap() (gap Elapsed, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	last, seen := latestReply(t.ServiceLanes(), t.Old, func(r *Replies) time.Duration { return r.LastEnd })
	if !marked || !seen || t.Old == t.New {
		return Elapsed{}, false
	}
	return Elapsed{last.at - done, last.uncertainty}, true
}

// StatusGapOf is the same of one lane.
func (t Timeline) StatusGapOf(lane Lane) (gap Elapsed, ok bool) {
	done, marked := t.Mark(evidence.StatusDone)
	old := lane.RepliesOf(t.Old)
	if !marked || old.Count == 0 || t.Old == t.New {
		return Elapsed{}, false
	}
	return Elapsed{old.LastEnd - done, lane.uncertainty}, true
}

// A latest is the largest of several times, by how much it may be wrong, and on whose clock it was read.
type latest struct {
	at, uncertainty time.Duration
	clock           string // node, or severalClocks when another lane's time may be later
}

const severalClocks = "*"

// latestReply is the latest of the replies by a version, over some lanes. A lane whose clock is
// uncertain enough may have the latest even if another's time is larger.
func latestReply(lanes []Lane, version string, of func(*Replies) time.Duration) (best latest, seen bool) {
	var all []latest
	for _, lane := range lanes {
		for b, r := range lane.replies {
			if b.version == version {
				all = append(all, latest{of(r), lane.uncertainty, lane.Node})
			}
		}
	}
	if len(all) == 0 {
		return latest{}, false
	}
	best = slices.MaxFunc(all, func(a, b latest) int { return cmp.Compare(a.at, b.at) })
	earliest, last := best.at-best.uncertainty, best.at+best.uncertainty
	for _, l := range all {
		earliest, last = max(earliest, l.at-l.uncertainty), max(last, l.at+l.uncertainty)
	}
	if slices.ContainsFunc(all, func(l latest) bool { return l.clock != best.clock && l.at+l.uncertainty > earliest }) {
		best.clock = severalClocks
	}
	best.uncertainty = max(last-best.at, best.at-earliest)
	return best, true
}

// SentIn reports whether a hit was surely sent in one of some windows, and, where before is more than 0, that long before its end.
func (l Lane) SentIn(h Hit, windows []Window, before time.Duration) bool {
	for _, w := range windows {
		u := l.uncertainty + w.Uncertainty
		if h.Sent-u >= w.From && h.Sent+u < w.To-before {
			return true
		}
	}
	return false
}

// SentAfter is how long after a moment on the recorder's clock one of the lane's hits was sent.
func (l Lane) SentAfter(sent, moment time.Duration) Elapsed {
	return Elapsed{sent - moment, l.uncertainty}
}
