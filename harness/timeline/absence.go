package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// An AgentAway is that a load agent of a node was away, from all its lanes at once.
type AgentAway struct {
	Node string
	Window
	Lanes   []string
	LeftOut int // requests that were not sent
	Unknown int // requests in flight when it went, of which nobody knows how they ended
	Why     string
}

// AgentsAway are all such times, in order.
func (t Timeline) AgentsAway() []AgentAway {
	var found []AgentAway
	for _, lane := range t.Lanes {
		for _, a := range lane.Absences { // all lanes of an agent come back at once
			i := slices.IndexFunc(found, func(f AgentAway) bool { return f.Node == lane.Node && f.To == a.Until })
			if i < 0 {
				i = len(found)
				found = append(found, AgentAway{Node: lane.Node, Window: Window{From: a.Since, To: a.Until}, Why: a.Why})
			}
			away := &found[i]
			away.From = min(away.From, a.Since)
			away.Lanes = append(away.Lanes, lane.ID)
			away.LeftOut += int(a.To - a.From)
			away.Unknown += len(a.Unknown)
		}
	}
	slices.SortStableFunc(found, func(x, y AgentAway) int { return cmp.Compare(x.From, y.From) })
	return found
}

// Silences are the parts of a time in which the agents of all of some lanes were away.
func Silences(lanes []Lane, in Window) []Window {
	silent := []Window{in}
	for _, lane := range lanes {
		var still []Window
		for _, w := range silent {
			for _, a := range lane.Absences {
				if from, to := max(w.From, a.Since), min(w.To, a.Until); from < to {
					still = append(still, Window{From: from, To: to})
				}
			}
		}
		silent = still
	}
	return silent
}

// away is what a lane's agent left out, and what nobody knows the outcome of.
type away struct {
	absences []evidence.Absence // on the recorder's clock
	sent     map[uint64]bool    // numbers sent of which no hit was kept, as far as they have not turned up
}

func newAway(run evidence.Run, lane evidence.Lane, cs clocks) away {
	a := away{sent: map[uint64]bool{}}
	for _, absence := range run.Absences {
		if absence.Lane != lane.ID {
			continue
		}
		absence.Since, absence.Until = cs.onRecorder(lane.Node, absence.Since), cs.onRecorder(lane.Node, absence.Until)
		a.absences = append(a.absences, absence)
		for _, seq := range absence.Unknown {
			a.sent[seq] = true
		}
	}
	return a
}

// excuses reports whether a number without a hit is no hole: it was left out, or nobody knows its outcome.
func (a away) excuses(seq uint64) bool {
	return a.sent[seq] || a.leftOut(seq)
}

func (a away) leftOut(seq uint64) bool {
	return slices.ContainsFunc(a.absences, func(absence evidence.Absence) bool { return absence.Skips(seq) })
}

// passOver goes over numbers that have no hit, from the one expected up to one that has: those left out while the
// agent was away are not what it failed to send. It gives the first that is a hole.
func (b *builder) passOver(from, to uint64) (hole uint64, found bool) {
	began := b.summary.Requests > 0
	if len(b.away.absences) == 0 {
		return from, from < to
	}
	for seq := from; seq < to; seq++ {
		switch {
		case b.away.sent[seq] && began:
			b.summary.unknown++
		case b.away.leftOut(seq) && began:
			b.summary.leftOut++
		case !b.away.excuses(seq) && !found:
			hole, found = seq, true
		}
	}
	return hole, found
}

// awayBetween is when somebody went away who was so for most of the time between two moments.
func awayBetween(absences []evidence.Absence, from, to time.Duration) (since time.Duration, was bool) {
	for _, a := range absences {
		if from <= (a.Since+a.Until)/2 && a.Until <= to {
			return max(from, a.Since), true
		}
	}
	return 0, false
}
