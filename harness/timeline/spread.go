package timeline

import (
	"maps"
	"slices"
	"time"
)

// A Spread is the distribution of a number of durations. Each value is one of them (nearest rank, no interpolation); of none all are zero.
type Spread struct {
	Count               int
	P50, P99, P999, Max time.Duration
}

// SpreadOf returns the spread of durations in any order.
func SpreadOf(ds []time.Duration) Spread {
	of := make(counted)
	for _, d := range ds {
		of[d]++
	}
	return of.spread()
}

// counted holds durations, and how many there are of each.
type counted map[time.Duration]int

// addMicros adds a duration as it is reported, to the microsecond: then many are the same, however many there are.
func (c counted) addMicros(d time.Duration) { c[d.Round(time.Microsecond)]++ }

func (c counted) addAll(more counted) {
	for d, n := range more {
		c[d] += n
	}
}

func (c counted) spread() (s Spread) {
	for _, n := range c {
		s.Count += n
	}
	within := 0
	for _, d := range slices.Sorted(maps.Keys(c)) {
		before := within
		within += c[d]
		for _, rank := range []struct {
			value    *time.Duration
			permille int
		}{{&s.P50, 500}, {&s.P99, 990}, {&s.P999, 999}, {&s.Max, 1000}} {
			if n := (s.Count*rank.permille + 999) / 1000; before < n && n <= within {
				*rank.value = d
			}
		}
	}
	return s
}
