package compare

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/verdict"
)

// A Series is one scenario in one mode, run by run from the first.
type Series struct {
	Scenario, Mode string
	Lines          []Line
}

// Series lists the series, by scenario and mode.
func (h History) Series() (all []Series) {
	lines := slices.SortedStableFunc(slices.Values(h.Lines), func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Mode, b.Mode))
	})
	for _, l := range lines {
		if n := len(all); n == 0 || all[n-1].Scenario != l.Scenario || all[n-1].Mode != l.Mode {
			all = append(all, Series{Scenario: l.Scenario, Mode: l.Mode})
		}
		s := &all[len(all)-1]
		s.Lines = append(s.Lines, l)
	}
	return all
}

// A Flake is how often a scenario had another outcome than it usually has under the same conditions.
type Flake struct {
	Other        int // runs that passed where most fail, or failed where most pass
	Decided      int // runs that did either
	Inconclusive int // runs that did neither: about the machine, not the scenario
}

// Flake counts the outcomes of the series.
func (s Series) Flake() (f Flake) {
	type count struct{ pass, fail int }
	counts := make(map[Conditions]count)
	for _, l := range s.Lines {
		c := counts[l.Conditions()]
		switch l.Outcome {
		case verdict.Pass.String():
			c.pass++
		case verdict.Fail.String():
			c.fail++
		case verdict.Inconclusive.String():
			f.Inconclusive++
		}
		counts[l.Conditions()] = c
	}
	for _, c := range counts {
		f.Other += min(c.pass, c.fail)
		f.Decided += c.pass + c.fail
	}
	return f
}

// LastChange returns the last line whose outcome differs from that of the line before, with that line; ok is false if there is none.
func (s Series) LastChange() (before, after Line, ok bool) {
	for i := len(s.Lines) - 1; i > 0; i-- {
		if s.Lines[i].Outcome != s.Lines[i-1].Outcome {
			return s.Lines[i-1], s.Lines[i], true
		}
	}
	return Line{}, Line{}, false
}
