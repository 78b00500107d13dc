package timeline

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Loss is an outage of a lane, and the steps that may have caused it: the last one that surely came before its first failed request
// was sent, and the ones that may have come while it lasted.
type Loss struct {
	Lane string
	Outage
	Step  *Step   // the last one before it; nil: none surely came before it
	After Elapsed // from Step until the first failed request was sent
	Spans []Step  // the steps that may have come while it lasted, by time
	Hits  []Hit   // its failed requests, by time sent
	lane  Lane
}

// MarkedSteps lists by time the steps that the maintenance marked itself.
func (t Timeline) MarkedSteps() []Step {
	return slices.DeleteFunc(slices.Clone(t.steps), func(s Step) bool { return s.Kind != evidence.Step })
}

// Losses lists the outages of some lanes, those of one lane by time, with the given steps that may have caused them. Rules give it only
// [Timeline.MarkedSteps]: what the recorder saw by itself, such as a cordoned node, follows from a marked step.
func Losses(lanes []Lane, steps []Step) (all []Loss) {
	for _, lane := range lanes {
		failed := lane.Failed
		for _, o := range lane.Summary.Outages {
			n := min(o.Failed, len(failed))
			l := Loss{Lane: lane.ID, Outage: o, Hits: failed[:n], lane: lane}
			for i, s := range steps {
				switch from := lane.Time(o.From); {
				case s.NotAfter(from) == Yes:
					l.Step, l.After = &steps[i], from.Since(s.Time)
				case lane.Time(o.To).NotAfter(s.Time) != Yes:
					l.Spans = append(l.Spans, s)
				}
			}
			all, failed = append(all, l), failed[n:]
		}
	}
	return all
}

// Belongs lists by time the steps that the loss may belong to: the last one before its first failed request was sent, and the ones of
// which the clocks cannot tell whether they came before it. Without a Step the loss may also have begun before all steps.
func (l Loss) Belongs() []Step {
	var steps []Step
	if l.Step != nil {
		steps = append(steps, *l.Step)
	}
	return append(steps, l.spans(true)...)
}

// Meanwhile lists by time the steps that were reached while the loss lasted.
func (l Loss) Meanwhile() []Step { return l.spans(false) }

func (l Loss) spans(perhapsBefore bool) []Step {
	from := l.lane.Time(l.From)
	return slices.DeleteFunc(slices.Clone(l.Spans), func(s Step) bool { return (s.NotAfter(from) != No) != perhapsBefore })
}

// Since returns how long after a step a failed request of the loss was sent.
func (l Loss) Since(s Step, h Hit) Elapsed { return l.lane.Time(h.Sent).Since(s.Time) }
