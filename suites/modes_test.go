package suites_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

func TestModesTable(t *testing.T) {
	printTable(t, "modes", "../harness/host/lab/README.md", modesTable)
	golden.File(t, "testdata/modes.md", modesTable([]model.Report{smallRun(t)}))
}

// modesTable returns a table of what a rolling update costs in each kube-proxy mode: a mode's column is of the last run that has
// it. A dash means not measured.
func modesTable(runs []model.Report) string {
	all, _ := lastOfEachMode(runs)
	modes := modesOf(all)
	table := reports.Head(append([]string{""}, modes...)...)
	for _, row := range []struct {
		says string
		cell func(modeColumn) string
	}{
		{"status gap: old pods still reply after rollout status says done",
			func(c modeColumn) string { return inSeconds(c.drained, "status_gap_ms") }},
		{"drain lag: a node still sends to a pod that left the endpoints",
			func(c modeColumn) string { return inSeconds(c.drained, "drain_lag_max_ms") }},
		{"rule lag: a node's rules still route to one", func(c modeColumn) string { return inSeconds(c.drained, "rule_lag_max_ms") }},
		{"needed preStop sleep, over all scenarios: p50 and longest", modeColumn.neededDrain},
		{"requests lost by pods that exit at once", func(c modeColumn) string { return lostBy(c.undrained) }},
		{"requests lost by pods that drain", func(c modeColumn) string { return lostBy(c.drained) }},
		{"requests lost by pods that drain as long as was measured before", func(c modeColumn) string { return lostBy(c.measured) }},
	} {
		cells := []string{row.says}
		for _, mode := range modes {
			cells = append(cells, row.cell(newModeColumn(mode, all)))
		}
		table += reports.Row(cells...)
	}
	return table
}

// A modeColumn is what one mode showed.
type modeColumn struct {
	drained, undrained, measured model.Scenario // the zero value if it was not run
	needed                       []float64
}

func newModeColumn(mode string, all []model.Scenario) (c modeColumn) {
	for _, s := range all {
		if s.Mode != mode || !s.Decided() {
			continue
		}
		switch s.Name() {
		case "rollout/drained-rolling-update":
			c.drained = s
		case "control/undrained-rolling-update":
			c.undrained = s
		case "rollout/drained-as-measured":
			c.measured = s
		}
		for _, ms := range s.Numbers.NeededDrain {
			c.needed = append(c.needed, ms)
		}
	}
	slices.Sort(c.needed)
	return c
}

func (c modeColumn) neededDrain() string {
	if len(c.needed) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f s, %.2f s", timeline.Percentile(c.needed, 50)/1000, timeline.Percentile(c.needed, 100)/1000)
}

// lostBy returns a text like "178 of 21140"; a dash if there was no client.
func lostBy(s model.Scenario) string {
	if len(s.Lanes) == 0 {
		return "-"
	}
	return failedOf(s)
}
