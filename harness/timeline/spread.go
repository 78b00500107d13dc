package timeline

import (
	"slices"
	"time"
)

// A Spread is how a set of durations is distributed, each value being one of the set (nearest
// rank, no interpolation). Of an empty set all are zero.
type Spread struct{ P50, P99, Max time.Duration }

// SpreadOf measures a set of durations in any order, which it leaves as it is.
func SpreadOf(ds []time.Duration) Spread { return spreadOf(slices.Clone(ds)) }

// spreadOf is SpreadOf, and leaves the durations in another order.
func spreadOf(ds []time.Duration) Spread {
	if len(ds) == 0 {
		return Spread{}
	}
	ranks := ranked(ds, 500, 990, 1000)
	return Spread{P50: ranks[0], P99: ranks[1], Max: ranks[2]}
}

// ranked are the values that so many permille of some durations do not exceed, ascending, at least one of each. It leaves the durations
// in another order, and sorts no more than it needs: of a million, sorting took a good part of judging.
func ranked(ds []time.Duration, permille ...int) (values []time.Duration) {
	before := 0
	for _, share := range permille {
		n := (len(ds)*share+999)/1000 - 1
		values = append(values, rank(ds[before:], n-before))
		before = n
	}
	return values
}

// rank is the value that sorting would put at n. It leaves larger ones behind that place, and smaller ones before it (Hoare's
// selection, from the median of three).
func rank(ds []time.Duration, n int) time.Duration {
	for len(ds) > 12 {
		a, b, c := ds[0], ds[len(ds)/2], ds[len(ds)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(ds)-1
		for i <= j {
			for ds[i] < pivot {
				i++
			}
			for ds[j] > pivot {
				j--
			}
			if i <= j {
				ds[i], ds[j] = ds[j], ds[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			ds = ds[:j+1]
		case n >= i:
			ds, n = ds[i:], n-i
		default:
			return ds[n]
		}
	}
	slices.Sort(ds)
	return ds[n]
}
