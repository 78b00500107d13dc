package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A nature is what tapes and segments know of their records.
type nature[R any] struct {
	place   func(R) place
	compare func(a, b *R) int // within a lane
	check   func(R) error     // an error for a record nobody can have made
}

// A place is what a tape is in order of.
type place struct {
	lane string
	seq  uint64
}

func ofHits() nature[Hit] {
	return nature[Hit]{place: func(h Hit) place { return place{h.Lane, h.Seq} }, compare: compareHits, check: Hit.check}
}

func ofArrivals() nature[Arrival] {
	return nature[Arrival]{place: func(a Arrival) place { return place{a.Lane, a.Seq} }, compare: compareArrivals, check: Arrival.check}
}

// ofEvents has all events in one lane.
func ofEvents() nature[Event] {
	return nature[Event]{place: func(Event) place { return place{} }, compare: compareEvents, check: Event.check}
}

// follow is the place of r, and an error unless r is valid and may come right after last.
func (of nature[R]) follow(last place, r R) (place, error) {
	at := of.place(r)
	if at.lane < last.lane || at.lane == last.lane && at.seq < last.seq {
		return at, errors.New("it is out of order: sort by lane, seq")
	}
	return at, of.check(r)
}

// compareHits is a total order within a lane, so that even duplicates sort the same way every time.
func compareHits(a, b *Hit) int {
	if a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Or(
		cmp.Compare(a.Sent, b.Sent),
		cmp.Compare(a.Due, b.Due),
		cmp.Compare(a.Took, b.Took),
		cmp.Compare(a.Fault, b.Fault),
		cmp.Compare(a.Status, b.Status),
		compareServers(a.By, b.By),
		cmp.Compare(a.LocalPort, b.LocalPort),
		cmp.Compare(a.Attempts, b.Attempts),
		compareBools(a.Reused, b.Reused),
	)
}

func compareArrivals(a, b *Arrival) int {
	if a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Or(cmp.Compare(a.At, b.At), compareServers(a.By, b.By))
}

func compareEvents(a, b *Event) int { return cmp.Compare(a.At, b.At) }

func compareServers(a, b Server) int {
	return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// check leaves times before Run.Began alone: they are on a clock of their own.
func (h Hit) check() error {
	switch {
	case h.Seq > math.MaxInt64:
		return fmt.Errorf("seq %d is out of range", h.Seq)
	case h.Took < 0:
		return fmt.Errorf("it took %d ns", h.Took)
	case h.Status < 0 || h.Status > 999:
		return fmt.Errorf("status %d is out of range", h.Status)
	case h.Attempts < 0 || h.Attempts > math.MaxInt32:
		return fmt.Errorf("%d attempts are out of range", h.Attempts)
	case h.LocalPort < 0 || h.LocalPort > math.MaxUint16:
		return fmt.Errorf("local port %d is out of range", h.LocalPort)
	case h.Fault != NoFault && !slices.Contains(Faults(), h.Fault):
		return fmt.Errorf("unknown fault %q", h.Fault)
	default:
		return nil
	}
}

func (a Arrival) check() error {
	if a.Seq > math.MaxInt64 {
		return fmt.Errorf("seq %d is out of range", a.Seq)
	}
	return nil
}

func (e Event) check() error {
	if !slices.Contains(EventKinds(), e.Kind) {
		return fmt.Errorf("unknown event kind %q", e.Kind)
	}
	return nil
}
