package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// An Unready is a time in which a pod was not ready, although it had been and nobody had deleted it.
type Unready struct {
	evidence.Server
	Window                // until it was ready again, was deleted or was gone
	Back   bool           // it was ready again
	Report evidence.Event // of its probe, which failed last before that time, or else first in it; zero without one
}

// unreadiness lists by time when pods of the rollout turned unready without a deletion, of those that were ready again and
// those whose probe was reported to have failed.
func (t Timeline) unreadiness() (all []Unready) {
	for _, l := range t.livesByName() {
		if t.rolled(l.Server) {
			all = append(all, l.unreadiness()...)
		}
	}
	slices.SortStableFunc(all, func(a, b Unready) int { return cmp.Compare(a.From, b.From) })
	return all
}

func (l *life) unreadiness() (all []Unready) {
	var s podState
	var failed evidence.Event
	var open *Unready
	end := func(at time.Duration, back bool) {
		if open != nil && (back || open.Report.Kind != "") {
			open.To, open.Back = at, back
			all = append(all, *open)
		}
		open = nil
	}
	for _, e := range l.events {
		_, probed := reported(e, probeFailed)
		switch {
		case e.Kind == evidence.PodReady:
			end(e.At, true)
			failed = evidence.Event{}
		case e.Kind == evidence.PodUnready && s.there && s.ready && !s.deleted:
			open = &Unready{Server: e.By, Window: Window{From: e.At}, Report: failed}
		case e.Kind == evidence.PodDeleting, e.Kind == evidence.PodGone:
			end(e.At, false)
		case probed:
			failed = e
			if open != nil && open.Report.Kind == "" {
				open.Report = e
			}
		}
		s, _ = s.after(e.Kind)
	}
	end(math.MaxInt64, false)
	return all
}

// UnreadyBetween lists the pods that turned unready by themselves and were so at any time between.
func (t Timeline) UnreadyBetween(from, to time.Duration) []Unready {
	return slices.DeleteFunc(t.unreadiness(), func(u Unready) bool { return u.From > to || u.To < from })
}
