package timeline

import (
	"slices"
	"time"
)

// A Spread is the distribution of a set of durations. Each percentile is one of the set (nearest rank, no interpolation); for an empty set
// all are zero.
type Spread struct {
	Count               int
	P50, P99, P999, Max time.Duration
}

// SpreadOf returns the spread of durations in any order, and sorts them.
func SpreadOf(ds []time.Duration) Spread {
	if len(ds) == 0 {
		return Spread{}
	}
	slices.Sort(ds)
	rank := func(permille int) time.Duration { return ds[(len(ds)*permille+999)/1000-1] }
	return Spread{Count: len(ds), P50: rank(500), P99: rank(990), P999: rank(999), Max: rank(1000)}
}
