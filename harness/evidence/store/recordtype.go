package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/framelog"
)

// A recordType tells streams and segments how to order, check and log their records.
type recordType[R any] struct {
	kind    framelog.Kind
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
	return recordType[evidence.Hit]{framelog.Hit, func(h evidence.Hit) key { return key{h.Lane, h.Seq} }, (*evidence.Hit).Compare,
		evidence.Hit.Check}
}

func arrivalType() recordType[evidence.Arrival] {
	return recordType[evidence.Arrival]{framelog.Arrival, func(a evidence.Arrival) key { return key{a.Lane, a.Seq} },
		(*evidence.Arrival).Compare, evidence.Arrival.Check}
}

// flowType treats each node's flows as one lane.
func flowType() recordType[evidence.Flow] {
	return recordType[evidence.Flow]{framelog.Flow, func(f evidence.Flow) key { return key{f.Node, f.Seq} }, (*evidence.Flow).Compare,
		evidence.Flow.Check}
}

// eventType treats all events as one lane.
func eventType() recordType[evidence.Event] {
	return recordType[evidence.Event]{framelog.Event, func(evidence.Event) key { return key{} }, (*evidence.Event).Compare,
		evidence.Event.Check}
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

// appendTo appends a record to a log.
func (of recordType[R]) appendTo(log []byte, r R) []byte {
	text, _ := json.Marshal(r) // a record can always be encoded
	return framelog.Append(log, of.kind, text)
}

// decode returns the record of a frame, if it has one, and an error for a frame that is none of a segment or has an impossible record.
func (of recordType[R]) decode(f framelog.Frame) (r R, has bool, err error) {
	switch f.Kind {
	case of.kind:
		has = true
		if err = json.Unmarshal(f.Text, &r); err == nil {
			err = of.check(r)
		}
	case framelog.Head, framelog.Sent, framelog.Trouble, framelog.Connection, framelog.Event: // of the agent's own, or in another file too
	default:
		err = fmt.Errorf("a frame of kind %q", f.Kind)
	}
	if err != nil {
		return r, false, fmt.Errorf("%w: %w", framelog.ErrDamaged, err)
	}
	return r, has, nil
}
