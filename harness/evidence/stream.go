package evidence

import (
	"iter"
	"maps"
	"slices"
)

// A Stream yields records by lane and sequence number, and can be read any number of times. It ends with an
// error that names file and position if what is stored is not whole. A nil stream was not recorded.
type Stream[R any] iter.Seq2[R, error]

// Hits returns a stream of hits given in any order. It does not copy them: do not change them afterwards.
func Hits(hits []Hit) Stream[Hit] {
	return Sorted(hits, func(h Hit) string { return h.Lane }, (*Hit).Compare)
}

// Arrivals returns a stream of arrivals given in any order. It does not copy them either.
func Arrivals(arrivals []Arrival) Stream[Arrival] {
	return Sorted(arrivals, func(a Arrival) string { return a.Lane }, (*Arrival).Compare)
}

// All reads a stream to its end. On an error it returns the records before it too.
func (t Stream[R]) All() ([]R, error) {
	if t == nil {
		return nil, nil
	}
	var all []R
	for r, err := range t {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Sorted returns a stream of records given in any order. It sorts indexes, not records, and each lane on its own: the records of a
// lane come nearly in order, which sorts fast, but mixed with those of other lanes.
func Sorted[R any](records []R, lane func(R) string, compare func(a, b *R) int) Stream[R] {
	byLane := make(map[string][]int)
	for i := range records {
		l := lane(records[i])
		byLane[l] = append(byLane[l], i)
	}
	lanes := slices.Sorted(maps.Keys(byLane))
	for _, lane := range lanes {
		slices.SortStableFunc(byLane[lane], func(i, j int) int { return compare(&records[i], &records[j]) })
	}
	return func(yield func(R, error) bool) {
		for _, lane := range lanes {
			for _, i := range byLane[lane] {
				if !yield(records[i], nil) {
					return
				}
			}
		}
	}
}
