package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A nodeAbsence is an absence of a lane's agent. If another client of the same node got a good reply meanwhile, through the Service, that
// shows what the absent one would have seen.
type nodeAbsence struct {
	evidence.Absence // on the recorder's clock
	node             string
	answered         bool
}

type absences []*nodeAbsence

func readAbsences(run evidence.Run, cs clocks) (all absences) {
	nodes := map[string]string{} // by lane
	for _, lane := range run.Lanes {
		nodes[lane.ID] = lane.Node
	}
	for _, a := range run.Absences {
		node := nodes[a.Lane]
		a.Since, a.Until = cs.onRecorder(node, a.Since), cs.onRecorder(node, a.Until)
		all = append(all, &nodeAbsence{Absence: a, node: node})
	}
	return all
}

// of lists the absences of a lane.
func (all absences) of(lane evidence.Lane) (own []evidence.Absence) {
	for _, a := range all {
		if a.Lane == lane.ID {
			own = append(own, a.Absence)
		}
	}
	return own
}

// beside lists the absences of other agents on the node of a lane through the Service. Lanes that come back together have one agent.
func (all absences) beside(lane evidence.Lane, own []evidence.Absence) absences {
	return slices.DeleteFunc(slices.Clone(all), func(a *nodeAbsence) bool {
		together := func(o evidence.Absence) bool { return o.Until == a.Until }
		return !lane.Kind().AsksApp() || a.node != lane.Node || slices.ContainsFunc(own, together)
	})
}

// replied notes that a client got a good reply.
func (all absences) replied(at time.Duration) {
	for _, a := range all {
		a.answered = a.answered || a.Since <= at && at < a.Until
	}
}

// seen reports whether other clients got good replies in all absences of a lane between two moments.
func (all absences) seen(lane string, from, to time.Duration) bool {
	return !slices.ContainsFunc(all, func(a *nodeAbsence) bool {
		_, in := awayBetween([]evidence.Absence{a.Absence}, from, to)
		return in && a.Lane == lane && !a.answered
	})
}

// dropSeen leaves out what may have gone on in absences, where another client got good replies meanwhile.
func (l *Lane) dropSeen(all absences) {
	s := &l.Summary
	s.Unseen = slices.DeleteFunc(s.Unseen, func(o Outage) bool { return all.seen(l.ID, o.From, o.To) })
	s.UnseenGaps = slices.DeleteFunc(s.UnseenGaps, func(g Gap) bool { return all.seen(l.ID, g.From, g.To) })
}
