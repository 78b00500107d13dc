package statistics

import "slices"

// A P is what a test said, and the least it could have said.
type P struct{ Value, Least float64 }

// Threshold is up to which p a test of a family has found something, so that at most the share rate of what is found is none,
// after Benjamini and Hochberg. A test too small ever to find anything is none of the family (Tarone). Where nothing is found
// it is what one test alone would have needed.
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
