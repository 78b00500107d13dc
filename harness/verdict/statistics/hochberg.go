package statistics

import "slices"

// A P is the p of a test, and the least that it could have been.
type P struct{ Value, Least float64 }

// Threshold returns the largest p at which a test of a family counts as having found something, so that at most the share rate of what is
// found is false, after Benjamini and Hochberg. A test that is too small ever to find anything does not belong to the family
// (Tarone). If nothing is found, it returns the p that the best test would have needed.
func Threshold(family []P, rate float64) float64 {
	var values []float64
	for _, p := range family {
		if p.Least <= rate {
			values = append(values, p.Value)
		}
	}
	if len(values) == 0 {
		return rate
	}
	slices.Sort(values)
	step := rate / float64(len(values))
	for i, p := range slices.Backward(values) {
		if threshold := step * float64(i+1); p <= threshold {
			return threshold
		}
	}
	return step
}
