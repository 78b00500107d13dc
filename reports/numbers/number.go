// Package numbers knows what is measured of a rollout as plain numbers: which way each is worse, and by how much it
// differs between two runs of the same. It is pure.
package numbers

import (
	"fmt"
	"math"
	"strconv"

	"rollcall/reports"
)

// A Number is one thing that is measured of a scenario.
type Number struct {
	ID     string // permanent, as history.jsonl spells it; it ends in the unit
	Name   string
	Unit   Unit
	Better Better
	Spread Spread

	of func(reports.Scenario) (Value, bool)
}

// A Value is what a number was in one run of a scenario.
type Value struct {
	Value       float64
	Uncertainty float64 // by how much it may be wrong
	Within      float64 // how far the things differ, of which it is one: the lags of a run's pods and nodes
}

// A Unit is what a number is counted in.
type Unit uint8

// The units.
const (
	Requests Unit = iota // of as many as were sent
	Pods
	Milliseconds
	Percent
)

// Better says which way a number gets better.
type Better uint8

// The ways. A number of which less or more is as good tells of the rig, or of what was asked.
const (
	Neither Better = iota
	Lower
	Higher
)

// Worse says whether a number that was a and is b got worse.
func (b Better) Worse(was, is float64) bool {
	return b == Lower && is > was || b == Higher && is < was
}

// Text is a value with its unit and no more digits than it is good for.
func (u Unit) Text(x float64) string {
	switch {
	case u == Percent:
		return fmt.Sprintf("%.1f%%", x)
	case u == Milliseconds && math.Abs(x) < 1000:
		return fmt.Sprintf("%.0f ms", x)
	case u == Milliseconds:
		return fmt.Sprintf("%.2f s", x/1000)
	default:
		return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
	}
}

// Of is every number that was measured of a scenario, by its id. What was not measured is not in it.
func Of(s reports.Scenario) map[string]Value {
	values := make(map[string]Value)
	for _, n := range All() {
		if v, measured := n.of(s); measured {
			values[n.ID] = v
		}
	}
	return values
}
