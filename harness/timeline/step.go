package timeline

import (
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Loss is an outage of a lane, and the step of maintenance that it belongs to: the last one at or before its first failed request
// was sent. Where clocks cannot tell whether that was sent before a step or after it, it may belong to several.
type Loss struct {
	Outage
	Lane  string
	Hits  []Hit            // that failed, by time sent
	Steps []evidence.Event // that it may belong to, by time; empty: it began before the first step, or may have
	// Unattributed says that it may have begun before the first step.
	Unattributed bool
	Spans        []evidence.Event // further steps that were reached while it lasted
	uncertainty  time.Duration
}

// Since is how long after a step a failed request of the loss was sent.
func (l Loss) Since(step evidence.Event, h Hit) Elapsed {
	return Elapsed{h.Sent - step.At, l.uncertainty}
}

// Steps are the steps of maintenance that were marked, in order.
func (t Timeline) Steps() []evidence.Event {
	return slices.DeleteFunc(slices.Clone(t.Events), func(e evidence.Event) bool { return e.Kind != evidence.Step })
}

// Losses lists the outages of some lanes, those of one lane by time, each with the step it belongs to.
func (t Timeline) Losses(lanes []Lane) []Loss {
	steps := t.Steps()
	var losses []Loss
	for _, lane := range lanes {
		failed := lane.Failed
		for _, o := range lane.Summary.Outages {
			n := min(o.Failed, len(failed))
			l := Loss{Outage: o, Lane: lane.ID, Hits: failed[:n], uncertainty: t.clocks.between("", lane.Node)}
			failed = failed[n:]
			l.attribute(steps)
			losses = append(losses, l)
		}
	}
	return losses
}

// attribute finds the steps that the loss may belong to, and those that it spans.
func (l *Loss) attribute(steps []evidence.Event) {
	sure := -1 // the last step that was certainly at or before the first failed request
	for i, step := range steps {
		switch {
		case step.At+l.uncertainty <= l.From:
			sure = i
		case step.At-l.uncertainty <= l.From:
			l.Steps = append(l.Steps, step)
		case step.At < l.To:
			l.Spans = append(l.Spans, step)
		}
	}
	if sure < 0 {
		l.Unattributed = true
		return
	}
	l.Steps = slices.Insert(l.Steps, 0, steps[sure])
}
