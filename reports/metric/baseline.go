package metric

import (
	"math"
	"slices"
)

// A Baseline is what a metric was in earlier runs of the same.
type Baseline struct {
	Runs            int
	Median          float64
	MedianDeviation float64 // from the median
	SecondDeviation float64 // the largest but one: what came twice may come again
}

// BaselineOf is of values in any order; none make the zero Baseline.
func BaselineOf(values []float64) Baseline {
	if len(values) == 0 {
		return Baseline{}
	}
	m := Median(values)
	var deviations []float64
	for _, x := range values {
		deviations = append(deviations, math.Abs(x-m))
	}
	b := Baseline{Runs: len(values), Median: m, MedianDeviation: Median(deviations)}
	if slices.Sort(deviations); len(deviations) > 1 {
		b.SecondDeviation = deviations[len(deviations)-2]
	}
	return b
}

// Median of at least one value.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// What it takes to believe the past.
const (
	enoughRuns = 5 // below, there is no baseline

	// deviations are how many median deviations a value may be off the median. Six are four standard deviations of
	// what is spread normally: of the some 600 numbers of a run of 80 scenarios less than one differs by chance.
	deviations = 6

	// toleranceCounts is for how many runs the default tolerance counts beside those of the past: the deviation of five
	// values is itself wrong by a factor too often.
	toleranceCounts = 5
)

// Enough says whether there were runs enough for a baseline.
func (b Baseline) Enough() bool { return b.Runs >= enoughRuns }

// EnoughAlone says whether there were enough where the default tolerance is not known, and counts for nothing.
func (b Baseline) EnoughAlone() bool { return b.Runs >= enoughRuns+toleranceCounts }

// tolerance is how far from the median a value may be: six deviations, drawn towards the default by as much as the past
// is short, and never less than what came twice, nor than the measurement itself is uncertain by.
func (b Baseline) tolerance(standard, uncertainty float64) float64 {
	runs := float64(b.Runs)
	return max((runs*deviations*b.MedianDeviation+toleranceCounts*standard)/(runs+toleranceCounts), b.SecondDeviation, uncertainty)
}

// A Difference is what two values of a metric say together.
type Difference struct {
	Significant bool
	Tolerance   float64 // by how much they may differ
	Runs        int     // of the past that say so; 0: the default tolerance does
}

// Compare compares two values. Without a past they differ when they are apart by more than the tolerance. With one, for
// either side or both, the tolerance is that of the past, and one of them must lie outside what is usual for the other: so
// two at opposite ends of the usual do not differ, and two outliers alike do not either.
func (m Metric) Compare(a, b Value, ofA, ofB Baseline) Difference {
	d := Difference{Tolerance: m.Tolerance.between(a, b)}
	apart := math.Abs(a.Value - b.Value)
	if !ofA.Enough() && !ofB.Enough() {
		d.Significant = apart > d.Tolerance
		return d
	}
	standard, uncertainty := d.Tolerance, a.Uncertainty+b.Uncertainty
	d.Tolerance = 0
	unusual := false
	for _, side := range []struct {
		other    Value
		baseline Baseline
	}{{b, ofA}, {a, ofB}} {
		if !side.baseline.Enough() {
			continue
		}
		tolerance := side.baseline.tolerance(standard, uncertainty)
		if m.Unit == Pods { // few and whole: of five that are alike the sixth may still differ by one
			tolerance = max(tolerance, standard)
		}
		d.Tolerance, d.Runs = max(d.Tolerance, tolerance), max(d.Runs, side.baseline.Runs)
		unusual = unusual || math.Abs(side.other.Value-side.baseline.Median) > tolerance
	}
	d.Significant = unusual && apart > d.Tolerance
	return d
}
