package evidence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Compare is the order within a lane: by sequence number, and hits with the same number by time, then by fault.
func (a *Hit) Compare(b *Hit) int {
	if a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Due, b.Due), cmp.Compare(a.Took, b.Took), cmp.Compare(a.Fault, b.Fault))
}

// Compare is the order within a lane: by sequence number, and arrivals with the same number by time, then by pod.
func (a *Arrival) Compare(b *Arrival) int {
	if a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.By.Pod, b.By.Pod))
}

// Compare is the order in time.
func (a *Event) Compare(b *Event) int { return cmp.Compare(a.At, b.At) }

// Check returns an error for a hit that is impossible. Times before Run.Began are possible: the lane's clock is another one.
func (a Hit) Check() error {
	switch {
	case a.Seq > math.MaxInt64:
		return fmt.Errorf("seq %d is out of range", a.Seq)
	case a.Took < 0:
		return fmt.Errorf("it took %d ns", a.Took)
	case a.Status < 0 || a.Status > 999:
		return fmt.Errorf("status %d is out of range", a.Status)
	case a.Attempts < 0:
		return fmt.Errorf("%d attempts are out of range", a.Attempts)
	case a.Connect < 0:
		return fmt.Errorf("its connection took %d ns", a.Connect)
	case a.Resent > math.MaxInt32:
		return fmt.Errorf("%d segments sent again are out of range", a.Resent)
	case a.Tokens > math.MaxInt32:
		return fmt.Errorf("%d tokens are out of range", a.Tokens)
	case a.Failed() && !slices.Contains(Faults(), a.Fault):
		return fmt.Errorf("unknown fault %q", a.Fault)
	default:
		return nil
	}
}

// Check returns an error for an arrival that is impossible.
func (a Arrival) Check() error {
	if a.Seq > math.MaxInt64 {
		return fmt.Errorf("seq %d is out of range", a.Seq)
	}
	return nil
}

// Check returns an error for an event of an unknown kind.
func (a Event) Check() error {
	if !slices.Contains(EventKinds(), a.Kind) {
		return fmt.Errorf("unknown event kind %q", a.Kind)
	}
	return nil
}
