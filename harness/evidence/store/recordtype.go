package store

import (
	"errors"

	"example.com/rollcall/harness/evidence"
)

// A recordType tells streams and segments how to order and check their records.
type recordType[R any] struct {
	key     func(R) key
	compare func(a, b *R) int // within a lane
	check   func(R) error     // returns an error for an impossible record
}

// A key is what a stream is ordered by.
type key struct {
	lane string
	seq  uint64
}

func hitType() recordType[evidence.Hit] {
	return recordType[evidence.Hit]{func(h evidence.Hit) key { return key{h.Lane, h.Seq} }, (*evidence.Hit).Compare, evidence.Hit.Check}
}

func arrivalType() recordType[evidence.Arrival] {
	return recordType[evidence.Arrival]{func(a evidence.Arrival) key { return key{a.Lane, a.Seq} }, (*evidence.Arrival).Compare,
		evidence.Arrival.Check}
}

// flowType treats each node's flows as one lane.
func flowType() recordType[evidence.Flow] {
	return recordType[evidence.Flow]{func(f evidence.Flow) key { return key{f.Node, f.Seq} }, (*evidence.Flow).Compare, evidence.Flow.Check}
}

// eventType treats all events as one lane.
func eventType() recordType[evidence.Event] {
	return recordType[evidence.Event]{func(evidence.Event) key { return key{} }, (*evidence.Event).Compare, evidence.Event.Check}
}

// checkNext returns the key of r, and an error unless r is valid and may follow a record with the key last.
func (of recordType[R]) checkNext(last key, r R) (key, error) {
	at := of.key(r)
	if at.lane < last.lane || at.lane == last.lane && at.seq < last.seq {
		return at, errors.New("it is out of order: sort by lane, seq")
	}
	return at, of.check(r)
}

func (of recordType[R]) sorted(records []R) evidence.Stream[R] {
	return evidence.Sorted(records, func(r R) string { return of.key(r).lane }, of.compare)
}
