package main

import (
	"fmt"

	"rollcall/harness/evidence"
)

// Figures are all that was measured.
type figures struct {
	plan         plan
	highest, app map[evidence.Conn]*row
	cost         map[int]*row // by rate
	lag50, lag99 *row
	memory       *row
}

func newFigures(p plan) figures {
	f := figures{
		plan:    p,
		highest: map[evidence.Conn]*row{},
		app:     map[evidence.Conn]*row{},
		cost:    map[int]*row{},
		lag50:   &row{title: fmt.Sprintf("lag at %d/s, p50, ms", lagRate), digits: 2},
		lag99:   &row{title: fmt.Sprintf("lag at %d/s, p99, ms", lagRate), digits: 2, bar: bar{value: 2}},
		memory: &row{title: fmt.Sprintf("memory resident at most, %.0f min at %d/s, MiB", p.memoryFor.Minutes(), memoryRate),
			digits: 1, bar: bar{value: 64}},
	}
	for _, conn := range conns() {
		f.highest[conn] = &row{title: fmt.Sprintf("highest rate held, %s, per second", conn), bar: bar{floor: 0.9}}
		f.app[conn] = &row{title: fmt.Sprintf("of its processors the app used then, %s, %%", conn)}
	}
	for _, rate := range steadyRates() {
		f.cost[rate] = &row{title: fmt.Sprintf("CPU per request at %d/s, µs", rate), bar: bar{ceiling: 1.1}}
	}
	return f
}

// rows lists the rows that were planned, in the order of the report.
func (f figures) rows() []*row {
	if f.plan.rounds == 0 {
		return []*row{f.memory}
	}
	var rows []*row
	for _, conn := range conns() {
		rows = append(rows, f.highest[conn], f.app[conn])
	}
	for _, rate := range steadyRates() {
		rows = append(rows, f.cost[rate])
	}
	return append(rows, f.lag50, f.lag99, f.memory)
}
