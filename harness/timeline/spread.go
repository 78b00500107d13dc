package timeline

import (
	"slices"
	"time"
)

// A Spread is the distribution of a number of durations. Each value is one of them (nearest rank, no interpolation); of none all are zero.
type Spread struct {
	Count               int
	P50, P99, P999, Max time.Duration
}

// SpreadOf returns the spread of durations in any order, and reorders them.
func SpreadOf(ds []time.Duration) Spread {
	if len(ds) == 0 {
		return Spread{}
	}
	ranks := ranked(ds, 500, 990, 999, 1000)
	return Spread{Count: len(ds), P50: ranks[0], P99: ranks[1], P999: ranks[2], Max: ranks[3]}
}

// ranked returns, for each permille in ascending order, the value that this share of the durations does not exceed. It needs at least one
// duration. It reorders them, and sorts no more than needed: to sort a million took a good part of judging.
func ranked(ds []time.Duration, permille ...int) (values []time.Duration) {
	before := 0
	for _, share := range permille {
		n := (len(ds)*share+999)/1000 - 1
		values = append(values, rank(ds[before:], n-before))
		before = n
	}
	return values
}

// rank returns the value that sorting would put at n. It moves smaller ones before that place and larger ones behind it (Hoare's
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
