package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Disruption is when something was done to the cluster under load. Until it is undone the cluster is disturbed on purpose, and
// from then until it is whole again by what that left behind.
type Disruption struct {
	What          string // as its first event says
	Begun         time.Duration
	Undone, Whole *time.Duration // nil: that was not seen
}

// Maintenance is when the first of them was done, until it was undone: from the first step that somebody marked, since who does it by
// hand may begin to record hours before, or else from its begin.
func (t Timeline) Maintenance() (w Window, ok bool) {
	all := t.Disruptions()
	if len(all) == 0 || all[0].Undone == nil {
		return w, false
	}
	w = Window{From: all[0].Begun, To: *all[0].Undone}
	for _, e := range t.Events {
		if e.Kind == evidence.Step && w.From < e.At && e.At < w.To {
			w.From = e.At
			break
		}
	}
	return w, true
}

// maintenance is the same, and from its first step until the end, marked or seen.
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

// UntilWhole is how long after it was undone the cluster was whole again.
func (d Disruption) UntilWhole() (took time.Duration, ok bool) {
	if d.Undone == nil || d.Whole == nil {
		return 0, false
	}
	return *d.Whole - *d.Undone, true
}

// Disruptions lists them by time. What is noted without a begin belongs to none.
func (t Timeline) Disruptions() []Disruption {
	var all []Disruption
	for _, e := range t.Events {
		if e.Kind == evidence.DisruptionBegun {
			all = append(all, Disruption{What: e.Detail, Begun: e.At})
			continue
		}
		if len(all) == 0 {
			continue
		}
		switch last := &all[len(all)-1]; {
		case e.Kind == evidence.DisruptionUndone && last.Undone == nil:
			last.Undone = new(e.At)
		case e.Kind == evidence.ClusterWhole && last.Whole == nil && !t.HostAlone:
			last.Whole = new(e.At)
		}
	}
	return all
}
