package main

import "math"

// A rung is a rate of the ladder that highest climbs. Neighbours are 3 % apart.
type rung int

// Rungs where a search ends at the latest, 100 a second, and where the first one begins, 5,900 a second.
const (
	lowest rung = -78
	likely rung = 60
)

// rate is what is asked at a rung, per second.
func (r rung) rate() int { return int(math.Round(1000 * math.Pow(1.03, float64(r)))) }

// longest is the longest stride of a search: a generator that is asked for much more than it can send takes
// seconds to come to its end.
const longest rung = 4

// highest finds the highest rung that is held, near the one it begins with: it strides away, each time twice as
// far up to the longest stride, until the answer changes, and then halves what is in between. No rung is asked
// twice. The lowest one is taken to be held.
func highest(from rung, held func(rung) (bool, error)) (rung, error) {
	good, bad := lowest, from
	ok, err := held(from)
	for stride := rung(1); ok && err == nil; stride = min(2*stride, longest) {
		good, bad = bad, bad+stride
		ok, err = held(bad)
	}
	for stride := rung(1); good == lowest && bad-stride > lowest && err == nil; stride = min(2*stride, longest) {
		if ok, err = held(bad - stride); ok {
			good = bad - stride
		} else {
			bad -= stride
		}
	}
	for bad-good > 1 && err == nil {
		middle := good + (bad-good)/2
		if ok, err = held(middle); ok {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, err
}
