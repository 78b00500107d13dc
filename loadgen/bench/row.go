package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A row is one thing that was measured of every generator, or of some.
type row struct {
	title  string
	digits int // behind the point
	bar    bar
	by     map[string][]float64 // by generator, a value per round
}

func (r *row) add(g generator, value float64) {
	if r.by == nil {
		r.by = map[string][]float64{}
	}
	r.by[g.name()] = append(r.by[g.name()], value)
}

// ratios are those of the agent's values to vegeta's, by round; none unless both have values and there is a bar
// for them.
func (r *row) ratios() []float64 {
	if r.bar.floor == 0 && r.bar.ceiling == 0 {
		return nil
	}
	ours, theirs := r.by["agent"], r.by["vegeta"]
	var ratios []float64
	for n := range min(len(ours), len(theirs)) {
		ratios = append(ratios, ours[n]/theirs[n])
	}
	return ratios
}

// A bar is what a row must reach by its median: one of its numbers, or none for the zero value.
type bar struct {
	floor   float64 // of the ratio of agent to vegeta
	ceiling float64 // of the same
	value   float64 // most of the agent's values
}

func (b bar) String() string {
	switch {
	case b.floor > 0:
		return fmt.Sprintf("ratio ≥ %.2f", b.floor)
	case b.ceiling > 0:
		return fmt.Sprintf("ratio ≤ %.2f", b.ceiling)
	case b.value > 0:
		return fmt.Sprintf("agent ≤ %g", b.value)
	default:
		return ""
	}
}

// missed says which bar a row misses, in words; empty when none. What was not measured misses its bar.
func (r *row) missed() string {
	ratio, value := median(r.ratios()), median(r.by["agent"])
	switch {
	case r.bar.floor > 0 && !(ratio >= r.bar.floor), r.bar.ceiling > 0 && !(ratio <= r.bar.ceiling):
		return fmt.Sprintf("%s: the ratio of agent to vegeta is %s, bar %s", r.title, spread(r.ratios(), 2), r.bar)
	case r.bar.value > 0 && !(value <= r.bar.value):
		return fmt.Sprintf("%s: the agent's is %s, bar %s", r.title, spread(r.by["agent"], r.digits), r.bar)
	default:
		return ""
	}
}

// median is that of values in any order, the lower one of two in the middle; NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// spread writes the median of values and, in parentheses, the least and the most.
func spread(values []float64, digits int) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	switch len(values) {
	case 0:
		return "–"
	case 1:
		return number(values[0])
	default:
		return fmt.Sprintf("%s (%s–%s)", number(median(values)), number(slices.Min(values)), number(slices.Max(values)))
	}
}
