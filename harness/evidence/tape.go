package evidence

import (
	"iter"
	"maps"
	"slices"
)

// A Tape is a stream of records by lane and number, which can be read any number of times. It ends
// with an error when what is stored is not whole; the error names file and position. A nil tape was
// not recorded.
type Tape[R any] iter.Seq2[R, error]

// Hits is a tape of hits given in any order. They are not copied: leave them as they are.
func Hits(hits []Hit) Tape[Hit] {
	return Sorted(hits, func(h Hit) string { return h.Lane }, (*Hit).Compare)
}

// Arrivals is a tape of arrivals given in any order, which are not copied either.
func Arrivals(arrivals []Arrival) Tape[Arrival] {
	return Sorted(arrivals, func(a Arrival) string { return a.Lane }, (*Arrival).Compare)
}

// All reads a tape to its end. With an error it returns what came before it.
func (t Tape[R]) All() ([]R, error) {
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

// Tee is the tape, and shows every record, or the error it ends with, on the way to its reader.
func (t Tape[R]) Tee(show func(R, error)) Tape[R] {
	if t == nil {
		return nil
	}
	return func(yield func(R, error) bool) {
		for r, err := range t {
			show(r, err)
			if !yield(r, err) {
				return
			}
		}
	}
}

// Sorted is a tape of records given in any order. It sorts lane by lane, and not the records but their numbers: a lane comes nearly in
// order,
// which sorts fast, but many lanes come at once.
func Sorted[R any](records []R, lane func(R) string, compare func(a, b *R) int) Tape[R] {
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
