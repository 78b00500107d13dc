package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Loss is an outage of a lane, blamed on the steps that whoever maintains the cluster marked, and on no others: what the recorder
// saw by itself, such as a node that was cordoned, follows from them.
type Loss struct {
	Attribution
	Hits        []Hit // that failed, by time sent
	uncertainty time.Duration
}

// MarkedSteps lists by time those steps that maintenance noted itself.
func (t Timeline) MarkedSteps() []Step {
	return slices.DeleteFunc(t.Steps(), func(s Step) bool { return s.Kind != evidence.Step })
}

// Losses lists the outages of some lanes, those of one lane by time.
func (t Timeline) Losses(lanes []Lane) []Loss {
	steps := t.MarkedSteps()
	var losses []Loss
	for _, lane := range lanes {
		failed := lane.Failed
		for _, o := range lane.Summary.Outages {
			n := min(o.Failed, len(failed))
			losses = append(losses, Loss{t.attribute(lane, o, steps), failed[:n], t.clocks.between("", lane.Node)})
			failed = failed[n:]
		}
	}
	return losses
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
	return slices.DeleteFunc(slices.Clone(l.Spans), func(s Step) bool { return (s.At-l.uncertainty <= l.From) != perhapsBefore })
}

// Since is how long after a step a failed request of the loss was sent.
func (l Loss) Since(s Step, h Hit) Elapsed { return Elapsed{h.Sent - s.At, l.uncertainty} }
