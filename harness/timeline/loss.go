package timeline

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Loss is an outage of a lane, and the steps that it may be blamed on: the last one that surely came before its first failed request
// was sent, and those that came while it lasted, as far as the clocks tell.
type Loss struct {
	Lane string
	Outage
	Step  *Step   // nil: it began before any
	After Elapsed // from the step until the first failed request was sent
	Spans []Step  // by time
	Hits  []Hit   // that failed, by time sent
	lane  Lane
}

// MarkedSteps lists by time those steps that maintenance noted itself.
func (t Timeline) MarkedSteps() []Step {
	return slices.DeleteFunc(slices.Clone(t.steps), func(s Step) bool { return s.Kind != evidence.Step })
}

// Losses lists the outages of some lanes, those of one lane by time, and blames them on some steps. What the recorder saw by itself, such
// as a node that was cordoned, follows from what whoever maintains the cluster marked: of two rules the steps are the marked ones alone.
func Losses(lanes []Lane, steps []Step) (all []Loss) {
	for _, lane := range lanes {
		failed := lane.Failed
		for _, o := range lane.Summary.Outages {
			n := min(o.Failed, len(failed))
			l := Loss{Lane: lane.ID, Outage: o, Hits: failed[:n], lane: lane}
			for i, s := range steps {
				switch from := lane.Time(o.From); {
				case s.By(from) == Yes:
					l.Step, l.After = &steps[i], from.Since(s.Time)
				case lane.Time(o.To).By(s.Time) != Yes:
					l.Spans = append(l.Spans, s)
				}
			}
			all, failed = append(all, l), failed[n:]
		}
	}
	return all
}

// Belongs lists the steps that the loss may belong to, by time: the last one before its first failed request was sent, and those of
// which the clocks cannot tell whether they came before it. Without a Step it may also have come before any.
func (l Loss) Belongs() []Step {
	var steps []Step
	if l.Step != nil {
		steps = append(steps, *l.Step)
	}
	return append(steps, l.spans(true)...)
}

// Meanwhile lists the steps that were reached while the loss lasted, by time.
func (l Loss) Meanwhile() []Step { return l.spans(false) }

func (l Loss) spans(perhapsBefore bool) []Step {
	from := l.lane.Time(l.From)
	return slices.DeleteFunc(slices.Clone(l.Spans), func(s Step) bool { return (s.By(from) != No) != perhapsBefore })
}

// Since is how long after a step a failed request of the loss was sent.
func (l Loss) Since(s Step, h Hit) Elapsed { return l.lane.Time(h.Sent).Since(s.Time) }
