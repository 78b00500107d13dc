package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// Modes writes a table in Markdown of what a rolling update costs in each kube-proxy mode of one or more runs: a mode's
// column is of the last of them that has it. A number that was not measured is a dash.
func Modes(w io.Writer, runs []Report) error {
	columns := modeColumns(runs)
	var b bytes.Buffer
	fmt.Fprint(&b, "| |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.mode)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(columns)))
	for _, row := range []struct {
		says string
		cell func(modeColumn) string
	}{
		{"status gap: old pods still reply after rollout status says done", func(c modeColumn) string { return inSeconds(c.drained.Numbers.StatusGap) }},
		{"drain lag: a node still sends to a pod that left the endpoints", func(c modeColumn) string { return longestOf(c.drained.Numbers.DrainLag) }},
		{"rule lag: a node's rules still lead to one", func(c modeColumn) string { return longestOf(c.drained.Numbers.RuleLag) }},
		{"needed drain, over all scenarios: p50 and longest", modeColumn.neededDrain},
		{"requests lost by pods that exit at once", func(c modeColumn) string { return lostBy(c.undrained) }},
		{"requests lost by pods that drain", func(c modeColumn) string { return lostBy(c.drained) }},
		{"requests lost by pods that drain as long as was measured before", func(c modeColumn) string { return lostBy(c.measured) }},
		{"recorded", func(c modeColumn) string {
			pace := ""
			if c.run.Pace != "" && c.run.Pace != evidence.NormalPace {
				pace = fmt.Sprintf(", at the %s pace", c.run.Pace)
			}
			if c.run.Rate > 0 {
				pace += fmt.Sprintf(", at most %d requests per second and lane", c.run.Rate)
			}
			return fmt.Sprintf("%s, Kubernetes %s, kernel %s%s", c.run.ID, c.cluster.Kubernetes, c.cluster.Kernel, pace)
		}},
	} {
		fmt.Fprintf(&b, "| %s |", row.says)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", row.cell(c))
		}
		fmt.Fprintln(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write modes: %w", err)
	}
	return nil
}

// A modeColumn is what one mode showed.
type modeColumn struct {
	mode                         string
	run                          Run
	cluster                      evidence.Cluster
	drained, undrained, measured Scenario // the zero value of one that was not run
	needed                       []float64
}

func modeColumns(runs []Report) []modeColumn {
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
	return fmt.Sprintf("%.2f s, %.2f s", c.needed[(len(c.needed)-1)/2]/1000, c.needed[len(c.needed)-1]/1000)
}

func inSeconds(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f s", *ms/1000)
}

func longestOf(lags *Lags) string {
	if lags == nil {
		return "-"
	}
	return inSeconds(&lags.Max)
}

// lostBy is like "178 of 21140".
func lostBy(s Scenario) string {
	sum := sumOf(s.Lanes)
	if sum.requests == nil {
		return "-"
	}
	return fmt.Sprintf("%d of %d", *sum.failed, *sum.requests)
}
