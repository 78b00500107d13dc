package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// An AgentAway is one absence of a load agent, during which all its lanes sent nothing.
type AgentAway struct {
	Node string
	Window
	Lanes   []string
	LeftOut int // requests that were not sent
	Unknown int // requests in flight when the agent ended: their outcome is not known
	Why     string
}

// AgentsAway lists the absences of all load agents, by time.
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

// Silences returns the parts of a window in which the agents of all given lanes were away.
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

// away holds the requests that a lane's agent did not send, and those with an unknown outcome.
type away struct {
	absences []evidence.Absence // on the recorder's clock
	sent     map[uint64]bool    // numbers of requests that were sent, but have no hit so far
}

// absencesOf lists the absences of a lane's agent on the recorder's clock.
func absencesOf(run evidence.Run, lane evidence.Lane, cs clocks) (own []evidence.Absence) {
	for _, a := range run.Absences {
		if a.Lane == lane.ID {
			a.Since, a.Until = cs.onRecorder(lane.Node, a.Since), cs.onRecorder(lane.Node, a.Until)
			own = append(own, a)
		}
	}
	return own
}

func newAway(absences []evidence.Absence) away {
	a := away{absences: absences, sent: map[uint64]bool{}}
	for _, absence := range absences {
		for _, seq := range absence.Unknown {
			a.sent[seq] = true
		}
	}
	return a
}

// excuses reports whether the absences explain why a number has no hit: it was not sent, or its outcome is unknown.
func (a away) excuses(seq uint64) bool {
	return a.sent[seq] || a.leftOut(seq)
}

func (a away) leftOut(seq uint64) bool {
	return slices.ContainsFunc(a.absences, func(absence evidence.Absence) bool { return absence.Skips(seq) })
}

// explainMissing counts the numbers without a hit in [from, to) that absences explain, and returns the first one that they do not.
func (b *builder) explainMissing(from, to uint64) (hole uint64, found bool) {
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

// inFlight returns the numbers of requests that were sent before or in an absence, and have no hit so far.
func (a away) inFlight(absence evidence.Absence) (numbers []uint64) {
	for seq := range a.sent {
		if absence.Skips(seq) || slices.Contains(absence.Unknown, seq) {
			numbers = append(numbers, seq)
		}
	}
	return numbers
}

// inFlightAt returns when requests were due that were sent and have no hit, ascending.
func (a away) inFlightAt(period time.Duration) (due []time.Duration) {
	for _, absence := range a.absences {
		for _, seq := range a.inFlight(absence) {
			due = append(due, absence.Since+time.Duration(int64(seq)-int64(absence.From))*period)
		}
	}
	slices.Sort(due)
	return due
}

// between returns the first absence between two moments.
func (a away) between(from, to time.Duration) (evidence.Absence, bool) {
	return awayBetween(a.absences, from, to)
}

// awayBetween returns the first absence that ended between two moments, of which the first came before its middle.
func awayBetween(absences []evidence.Absence, from, to time.Duration) (away evidence.Absence, was bool) {
	for _, a := range absences {
		if from <= (a.Since+a.Until)/2 && a.Until <= to {
			return a, true
		}
	}
	return away, false
}
