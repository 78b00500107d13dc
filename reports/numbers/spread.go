package numbers

import (
	"math"
	"slices"
)

// A Spread is by how much a number may differ between two runs of the same, when nothing else is known.
type Spread struct {
	Floor float64 // in the number's unit
	Share float64 // of the larger of the two, when that is more
	Exact bool    // none is none: there is no floor between it and some
}

// Known says whether the default spread of a number is known for a scenario in which these were its numbers; changed is that
// the cluster was changed for it. What clients see of nodes that write their rules every 10 s is by chance what it is. And
// while no pod is available rules lead on to old ones on purpose, for what pods take to start. A history of enough runs alone knows of both.
func (n Number) Known(values map[string]Value, changed bool) bool {
	if n.ID == "rule_lag_p50_ms" || n.ID == "rule_lag_max_ms" {
		available, counted := values["min_available"]
		return !changed && !(counted && available.Value == 0)
	}
	return !changed || n.Unit == Pods
}

// At is the spread about a value.
func (s Spread) At(x float64) float64 { return max(s.Floor, s.Share*math.Abs(x)) }

// between is the spread of two values. It is never narrower than what the values are uncertain by, nor than how far
// pods and nodes differ within both runs: within the one alone, so that an outlier cannot hide itself.
func (s Spread) between(a, b Value) float64 {
	if s.Exact && (a.Value == 0 || b.Value == 0) {
		s.Floor = 0
	}
	return max(s.At(a.Value), s.At(b.Value), a.Uncertainty+b.Uncertainty, min(a.Within, b.Within))
}

// A Usual is what a number was in earlier runs of the same.
type Usual struct {
	Runs      int
	Median    float64
	Deviation float64 // the median of how far they were from the median
	Reach     float64 // how far the one was that only one other was further from it: what came twice may come again
}

// UsualOf is of values in any order; none make the zero Usual.
func UsualOf(values []float64) Usual {
	if len(values) == 0 {
		return Usual{}
	}
	m := Median(values)
	var apart []float64
	for _, x := range values {
		apart = append(apart, math.Abs(x-m))
	}
	u := Usual{Runs: len(values), Median: m, Deviation: Median(apart)}
	if slices.Sort(apart); len(apart) > 1 {
		u.Reach = apart[len(apart)-2]
	}
	return u
}

// Median of at least one value.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// What it takes to believe the past.
const (
	enoughRuns = 5 // below, there is no usual

	// deviations are how many median deviations a number may be off the median. Six are four standard deviations of
	// what is spread normally: of the some 600 numbers of a run of 80 scenarios less than one is then moved by chance.
	deviations = 6

	// trustedLike is how many runs the default spread counts for beside those of the past: the deviation of five
	// values is itself wrong by a factor too often.
	trustedLike = 5
)

// Enough says whether there were runs enough to tell what is usual.
func (u Usual) Enough() bool { return u.Runs >= enoughRuns }

// EnoughAlone says whether there were enough where the default spread is not known, and counts for nothing.
func (u Usual) EnoughAlone() bool { return u.Runs >= enoughRuns+trustedLike }

// within is how far from the median a value may be: six deviations, drawn towards the default by as much as the past
// is short, and never less than what the past reaches to, nor than the measurement itself is uncertain by.
func (u Usual) within(standard, uncertainty float64) float64 {
	runs := float64(u.Runs)
	return max((runs*deviations*u.Deviation+trustedLike*standard)/(runs+trustedLike), u.Reach, uncertainty)
}

// A Move is what two values of a number say together.
type Move struct {
	Moved  bool
	Spread float64 // by how much they may differ
	Runs   int     // of the past that say so; 0: the default spread does
}

// Moved compares two values of a number. Without a past they moved when they differ by more than the spread. With one, for
// either side or both, the spread is that of the past, and one of them must lie outside what is usual for the other: so
// two at opposite ends of the usual have not moved, and two outliers alike have not either.
func (n Number) Moved(a, b Value, usualA, usualB Usual) Move {
	m := Move{Spread: n.Spread.between(a, b)}
	apart := math.Abs(a.Value - b.Value)
	if !usualA.Enough() && !usualB.Enough() {
		m.Moved = apart > m.Spread
		return m
	}
	standard, uncertainty := m.Spread, a.Uncertainty+b.Uncertainty
	m.Spread = 0
	unusual := false
	for _, side := range []struct {
		other Value
		usual Usual
	}{{b, usualA}, {a, usualB}} {
		if !side.usual.Enough() {
			continue
		}
		width := side.usual.within(standard, uncertainty)
		if n.Unit == Pods { // few and whole: of five that are alike the sixth may still differ by one
			width = max(width, standard)
		}
		m.Spread, m.Runs = max(m.Spread, width), max(m.Runs, side.usual.Runs)
		unusual = unusual || math.Abs(side.other.Value-side.usual.Median) > width
	}
	m.Moved = unusual && apart > m.Spread
	return m
}
