package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// Maintenance returns the window of the disruption, until it was undone. It begins with the first marked step, since somebody who
// works by hand may start the recording hours before; without a marked step, with the disruption.
func (t Timeline) Maintenance() (w Window, ok bool) {
	begun, disrupted := t.Mark(evidence.DisruptionBegun)
	undone, over := t.Mark(evidence.DisruptionUndone)
	if !disrupted || !over || undone < begun {
		return w, false
	}
	w = Window{From: begun, To: undone}
	for _, s := range t.MarkedSteps() {
		if w.From < s.At && s.At < w.To {
			w.From = s.At
			break
		}
	}
	return w, true
}

// FirstChange returns when the rollout began or, if there was maintenance, when that took its first step. It is absent without either.
func (t Timeline) FirstChange() (at time.Duration, ok bool) {
	at, ok = t.Mark(evidence.RolloutBegun)
	if w, maintained := t.Maintenance(); maintained {
		return max(at, w.From), true
	}
	return at, ok
}
