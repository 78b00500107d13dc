package timeline

// An Attribution is an outage of a lane, and the steps that it may be blamed on: the last one that surely came before its first
// failed request was sent, and those that came while it lasted, as far as the clocks tell.
type Attribution struct {
	Lane string
	Outage
	Step  *Step   // nil: it began before any
	After Elapsed // from the step until the first failed request was sent
	Spans []Step  // by time
}

// Attributions lists the outages of all lanes, those of one lane by time.
func (t Timeline) Attributions() []Attribution {
	steps := t.Steps()
	var all []Attribution
	for _, lane := range t.Lanes {
		for _, o := range lane.Summary.Outages {
			all = append(all, t.attribute(lane, o, steps))
		}
	}
	return all
}

func (t Timeline) attribute(lane Lane, o Outage, steps []Step) Attribution {
	a := Attribution{Lane: lane.ID, Outage: o}
	for i, s := range steps {
		u := t.clocks.between(s.Clock, lane.Node)
		switch {
		case s.At+u <= o.From:
			a.Step, a.After = &steps[i], Elapsed{o.From - s.At, u}
		case s.At-u < o.To:
			a.Spans = append(a.Spans, s)
		}
	}
	return a
}
