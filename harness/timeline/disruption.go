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

// maintenance returns that window, and the one from its first step, marked or seen, to the end of the recording.
func (t Timeline) maintenance() (done, sinceStep []Window) {
	w, ok := t.Maintenance()
	if !ok {
		return nil, nil
	}
	for _, s := range t.Steps() {
		if w.From <= s.At && s.At < w.To {
			return []Window{w}, []Window{{From: s.At, To: never}}
		}
	}
	return []Window{w}, nil
}

// ChangesSince counts the changes since a moment that the recorder saw by itself: pods of the namespace that began, ended or got
// unready, and steps of nodes.
func (t Timeline) ChangesSince(begun time.Duration) (n int) {
	for _, at := range t.changes {
		if at >= begun {
			n++
		}
	}
	for _, s := range t.steps {
		if s.At >= begun && s.Node != "" {
			n++
		}
	}
	return n
}
