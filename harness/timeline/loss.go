package timeline

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Loss is an outage of a lane, and the steps that may have caused it. Steps are listed by time.
type Loss struct {
	Lane string
	Outage
	Step      *Step   // the last one that surely came before its first failed request was sent; nil: none did
	After     Elapsed // from Step until that request was sent
	Perhaps   []Step  // of which the clocks cannot tell whether they came before it
	Meanwhile []Step  // that came after it, while the outage may have lasted
	Hits      []Hit   // its failed requests, by time sent
	lane      *Lane
}

// MarkedSteps lists by time the steps that the maintenance marked itself.
func (t Timeline) MarkedSteps() []Step {
	return slices.DeleteFunc(slices.Clone(t.steps), func(s Step) bool { return s.Kind != evidence.Step })
}

// Losses lists the outages of some lanes, those of one lane by time, with the given steps that may have caused them. Rules give it
// no others than [Timeline.MarkedSteps]: what the recorder saw by itself, such as a cordoned node, follows from a marked step.
func Losses(lanes []Lane, steps []Step) (all []Loss) {
	for _, lane := range lanes {
		failed := lane.Failed
		for _, o := range lane.Summary.Outages {
			n := min(o.Failed, len(failed))
			l := Loss{Lane: lane.ID, Outage: o, Hits: failed[:n], lane: &lane}
			for i, s := range steps {
				from := lane.Time(o.From)
				switch before := s.NotAfter(from); {
				case before == Yes:
					l.Step, l.After = &steps[i], from.Since(s.Time)
				case lane.Time(o.To).NotAfter(s.Time) == Yes: // it came after the outage
				case before == Unknown:
					l.Perhaps = append(l.Perhaps, s)
				default:
					l.Meanwhile = append(l.Meanwhile, s)
				}
			}
			all, failed = append(all, l), failed[n:]
		}
	}
	return all
}

// Belongs lists by time the steps that the loss may belong to. Without a Step it may also have begun before all steps.
func (l Loss) Belongs() []Step {
	if l.Step == nil {
		return l.Perhaps
	}
	return append([]Step{*l.Step}, l.Perhaps...)
}

// Since returns how long after a step a failed request of the loss was sent.
func (l Loss) Since(s Step, h Hit) Elapsed { return l.lane.Time(h.Sent).Since(s.Time) }
