package evidence

import (
	"iter"
	"maps"
	"slices"
)

// A Stream is records by lane and number, which can be read any number of times. It ends
// with an error when what is stored is not whole; the error names file and position. A nil stream was
// not recorded.
type Stream[R any] iter.Seq2[R, error]

// Hits is a stream of hits given in any order. They are not copied: leave them as they are.
func Hits(hits []Hit) Stream[Hit] {
	return Sorted(hits, func(h Hit) string { return h.Lane }, (*Hit).Compare)
}

// Arrivals is a stream of arrivals given in any order, which are not copied either.
func Arrivals(arrivals []Arrival) Stream[Arrival] {
	return Sorted(arrivals, func(a Arrival) string { return a.Lane }, (*Arrival).Compare)
}

// All reads a stream to its end. With an error it returns what came before it.
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

// Sorted is a stream of records given in any order. It sorts lane by lane, and not the records but their numbers: a lane comes nearly in
// order,
// which sorts fast, but many lanes come at once.
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
