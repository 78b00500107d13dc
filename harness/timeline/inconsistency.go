package timeline

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
)

// An inconsistency counts the records of a lane that contradict others or leave a hole in one way, and has the number of the first.
type inconsistency struct {
	count int
	first uint64
}

// The inconsistencies; problems says what each means.
const (
	repeated = iota
	missing
	scattered
	early
	unknownFault
	anonymous
	earlyArrival
	unlogged
	elsewhere
	orphaned
	disordered
	unnoted
	otherFirst
	miscounted
	inconsistencies
)

// note counts an inconsistency of the request with this number.
func (b *builder) note(which int, seq uint64) {
	if b.inconsistent[which].count++; b.inconsistent[which].count == 1 {
		b.inconsistent[which].first = seq
	}
}

// problems returns each way in which the lane's streams contradict each other or have holes.
func (b *builder) problems() (found []Problem) {
	requests, arrivals := evidence.Requests(), []evidence.Subject{evidence.AboutArrivals}
	replies := []evidence.Subject{evidence.AboutReplies}
	for which, what := range [inconsistencies]struct {
		file, does      string
		missed, doubted []evidence.Subject
	}{
		repeated:     {evidence.HitsFile, "repeats a sequence number", requests, requests},
		missing:      {evidence.HitsFile, "is missing", requests, nil},
		scattered:    {evidence.HitsFile, "comes after another lane's hits", requests, requests},
		early:        {evidence.HitsFile, "has a time before the run began", requests, requests},
		unknownFault: {evidence.HitsFile, "has an unknown fault", requests, requests},
		anonymous:    {evidence.HitsFile, "is a good reply that names no version", requests, nil},
		earlyArrival: {evidence.ArrivalsFile, "arrived before the run began", arrivals, arrivals},
		unlogged:     {evidence.ArrivalsFile, "was answered, but logged by no pod", arrivals, arrivals},
		elsewhere: {evidence.ArrivalsFile, "was logged by another pod than the one that answered", nil,
			append(arrivals, evidence.AboutReplies)},
		disordered: {evidence.HitsFile, fmt.Sprintf("was sent before more than %d lower numbers", lookahead), requests, requests},
		unnoted:    {evidence.ConnectionsFile, "was sent over a connection that has no row", nil, replies},
		otherFirst: {evidence.ConnectionsFile, "was the first to be answered on its connection, by another pod than its row says", nil, replies},
		miscounted: {evidence.ConnectionsFile, "has other numbers of requests and replies than hits say", nil, replies},
		orphaned:   {evidence.ArrivalsFile, "was logged by a pod, but has no hit", requests, nil},
	} {
		if seen := b.inconsistent[which]; seen.count > 0 {
			of := "seq"
			if which == miscounted {
				of = "connection"
			}
			p := problem(what.file, "lane %q: %s %d %s (%d in all)", b.lane.ID, of, seen.first, what.does, seen.count)
			p.Scope = evidence.Scope{Missed: what.missed, Doubted: what.doubted, Lanes: []string{b.lane.ID}}
			found = append(found, p)
		}
	}
	return found
}
