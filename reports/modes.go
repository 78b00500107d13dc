package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict"
	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/sheet"
)

// Modes writes a table in Markdown of what a rolling update costs in each kube-proxy mode of one or more runs: a mode's
// column is of the last of them that has it. A number that was not measured is a dash.
func Modes(w io.Writer, runs []model.Report) error {
	columns := modeColumns(runs)
	var b bytes.Buffer
	head := []string{""}
	for _, c := range columns {
		head = append(head, c.mode)
	}
	b.WriteString(sheet.Head(head...))
	for _, row := range []struct {
		says string
		cell func(modeColumn) string
	}{
		{"status gap: old pods still reply after rollout status says done",
			func(c modeColumn) string { return inSeconds(c.drained, "status_gap_ms") }},
		{"drain lag: a node still sends to a pod that left the endpoints",
			func(c modeColumn) string { return inSeconds(c.drained, "drain_lag_max_ms") }},
		{"rule lag: a node's rules still route to one", func(c modeColumn) string { return inSeconds(c.drained, "rule_lag_max_ms") }},
		{"needed drain, over all scenarios: p50 and longest", modeColumn.neededDrain},
		{"requests lost by pods that exit at once", func(c modeColumn) string { return lostBy(c.undrained) }},
		{"requests lost by pods that drain", func(c modeColumn) string { return lostBy(c.drained) }},
		{"requests lost by pods that drain as long as was measured before", func(c modeColumn) string { return lostBy(c.measured) }},
		{"recorded", func(c modeColumn) string { return recordedOn(c.run, c.cluster) }},
	} {
		cells := []string{row.says}
		for _, c := range columns {
			cells = append(cells, row.cell(c))
		}
		b.WriteString(sheet.Row(cells...))
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write modes: %w", err)
	}
	return nil
}

// A modeColumn is what one mode showed.
type modeColumn struct {
	mode                         string
	run                          model.Run
	cluster                      evidence.Cluster
	drained, undrained, measured model.Scenario // the zero value of one that was not run
	needed                       []float64
}

func modeColumns(runs []model.Report) []modeColumn {
	var columns []modeColumn
	for _, r := range runs {
		for _, mode := range modesOf(r.Scenarios) {
			c := modeColumn{mode: mode, run: r.Run}
			if i := slices.IndexFunc(r.Clusters, func(c evidence.Cluster) bool { return c.Mode == mode }); i >= 0 {
				c.cluster = r.Clusters[i]
			}
			for _, s := range r.Scenarios {
				if s.Mode != mode || s.Outcome != verdict.Pass && s.Outcome != verdict.Fail {
					continue
				}
				switch s.Suite + "/" + s.ID {
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
			columns = slices.DeleteFunc(columns, func(other modeColumn) bool { return other.mode == mode })
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b modeColumn) int { return compareModes(a.mode, b.mode) })
	return columns
}

func (c modeColumn) neededDrain() string {
	if len(c.needed) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f s, %.2f s", timeline.Percentile(c.needed, 50)/1000, timeline.Percentile(c.needed, 100)/1000)
}

// recordedOn says which run it was, and on what.
func recordedOn(r model.Run, c evidence.Cluster) string {
	on := fmt.Sprintf("%s, Kubernetes %s, kernel %s", r.ID, c.Kubernetes, c.Kernel)
	if r.Rate > 0 {
		on += fmt.Sprintf(", at most %d requests per second and lane", r.Rate)
	}
	return on
}

// inSeconds is a metric of milliseconds.
func inSeconds(s model.Scenario, key string) string {
	v := metric.ValueOf(s, key)
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f s", v.Value/1000)
}

// lostBy is like "178 of 21140".
func lostBy(s model.Scenario) string {
	if len(s.Lanes) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", s.Failed(), s.Requests())
}
