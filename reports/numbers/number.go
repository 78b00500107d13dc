// Package numbers knows which of the numbers measured of a rollout can be compared between runs: which way each is
// worse, and by how much it differs between two runs of the same. It is pure.
package numbers

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"rollcall/reports"
)

// A Number is one thing that is measured of a scenario.
type Number struct {
	ID     string // its key in junit.xml and history.jsonl: permanent, it ends in the unit
	Name   string
	Unit   Unit
	Better Better
	Spread Spread
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

// Of is every one of the numbers that was measured of a scenario, by its id. What was not measured is not in it. Below
// none there is no gain: an old version that replied last a second before the status leaves no more of a status gap than
// one that did so at its moment.
func Of(s reports.Scenario) map[string]Value {
	values := make(map[string]Value)
	for _, measured := range reports.NumbersOf(s) {
		id := measured.Key()
		if slices.ContainsFunc(All(), func(n Number) bool { return n.ID == id }) {
			values[id] = Value{max(0, measured.Value), measured.Uncertainty, measured.Within}
		}
	}
	return values
}
