package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Disruption is when something was done to the cluster under load. Until it is undone, the cluster is disturbed on purpose; from
// then until it is whole again, by the aftermath.
type Disruption struct {
	What          string // as its first event says
	Begun         time.Duration
	Undone, Whole *time.Duration // nil: not seen
}

// Maintenance returns the window of the first disruption, until it was undone. It begins with the first marked step, since somebody who
// works by hand may start the recording hours before; without a marked step, with the disruption.
func (t Timeline) Maintenance() (w Window, ok bool) {
	all := t.Disruptions()
	if len(all) == 0 || all[0].Undone == nil {
		return w, false
	}
	w = Window{From: all[0].Begun, To: *all[0].Undone}
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

// UntilWhole returns how long after the disruption was undone the cluster was whole again.
func (d Disruption) UntilWhole() (took time.Duration, ok bool) {
	if d.Undone == nil || d.Whole == nil {
		return 0, false
	}
	return *d.Whole - *d.Undone, true
}

// Disruptions lists the disruptions by time. A mark that comes before the first begin belongs to none.
func (t Timeline) Disruptions() []Disruption { return t.disruptions }

// disrupt enters a mark of a disruption: a new one, or the end of the last.
func (t *Timeline) disrupt(e evidence.Event) {
	last := len(t.disruptions) - 1
	switch {
	case e.Kind == evidence.DisruptionBegun:
		t.disruptions = append(t.disruptions, Disruption{What: e.Detail, Begun: e.At})
	case last < 0:
	case e.Kind == evidence.DisruptionUndone && t.disruptions[last].Undone == nil:
		t.disruptions[last].Undone = &e.At
	case e.Kind == evidence.ClusterWhole && t.disruptions[last].Whole == nil && !t.HostAlone:
		t.disruptions[last].Whole = &e.At
	}
}
