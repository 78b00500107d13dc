package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

func TestDisruptionsTable(t *testing.T) {
	printTable(t, "disruptions", "disruption/README.md", disruptionsTable)
	cut := func(mode string, outcome verdict.Outcome) model.Scenario {
		lane := func(from evidence.Vantage, node string, conn evidence.Conn, resends bool, failed int) model.Lane {
			return model.Lane{Vantage: from, Node: node, Conn: conn, Resends: resends, Requests: 200, LongestOutage: float64(10 * failed),
				Failures: map[evidence.Fault]int{evidence.Timeout: failed}}
		}
		return model.Scenario{Suite: "disruption", ID: "node-cut", Mode: mode, Outcome: outcome,
			Disruption: &model.Disruption{Does: "a | b", Nodes: []string{"worker"}}, Numbers: model.Numbers{Whole: new(300.0)},
			Lanes: []model.Lane{lane(evidence.FromPod, "worker", evidence.Fresh, false, 25),
				lane(evidence.FromPod, "worker", evidence.Reused, false, 1),
				lane(evidence.FromPod, "worker", evidence.Reused, true, 9), lane(evidence.FromPod, "worker2", evidence.Fresh, false, 0),
				lane(evidence.FromHost, "", evidence.Fresh, false, 5)}}
	}
	row := func(mode, outcome string) string {
		return "| `disruption/node-cut` | " + mode + ` | a \| b | 25 of 200 | 1 of 200 | 0 of 200 | - | 5 of 200 | 250 ms | 0.30 s | ` + outcome + " |\n"
	}
	of := func(all ...model.Scenario) model.Report { return model.Report{Scenarios: all} }
	both := of(cut("nftables", verdict.Pass), cut("iptables", verdict.Fail))
	for _, test := range []struct {
		sentence string
		runs     []model.Report
		want     string
	}{
		{"the modes of a run, in their order", []model.Report{both}, row("iptables", "fail") + row("nftables", "pass")},
		{"a scenario that was run again is that of the last run", []model.Report{both, of(cut("iptables", verdict.Inconclusive))},
			row("iptables", "inconclusive") + row("nftables", "pass")},
		{"a scenario that was skipped did not run", []model.Report{of(cut("ipvs", verdict.Skipped))}, ""},
		{"nothing was done to the cluster", []model.Report{of(model.Scenario{Suite: "rollout", ID: "drained"})}, ""},
	} {
		_, rows, _ := strings.Cut(disruptionsTable(test.runs), "|\n|")
		_, rows, _ = strings.Cut(rows, "\n")
		if diff := cmp.Diff(test.want, rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.sentence, diff)
		}
	}
}

// disruptionsTable returns a table of what disruptions cost the clients in each mode of one or more runs: failed requests of all
// sent ones, by kind of lane, and separately for lanes on the disrupted nodes. Of several runs of a scenario in a mode the last one
// counts. A dash means not measured.
func disruptionsTable(runs []model.Report) string {
	head := []string{"scenario", "mode", "what is done"}
	for _, c := range disruptedColumns {
		head = append(head, c.title)
	}
	table := reports.Head(append(head, "longest outage", "until whole", "outcome")...)
	for _, s := range disrupted(runs) {
		cells := []string{quoted(s), s.Mode, reports.Escape(s.Disruption.Does)}
		for _, c := range disruptedColumns {
			cells = append(cells, failedOn(s, c.counts))
		}
		table += reports.Row(append(cells, longestOutage(s), inSeconds(s, "whole_ms"), s.Outcome.String())...)
	}
	return table
}

// disruptedColumns are the kinds of lanes that lose requests independently. Requests that clients send again themselves are not
// lost.
var disruptedColumns = []struct {
	title  string
	counts func(lane model.Lane, onNode bool) bool
}{
	{"fresh, on its nodes", func(l model.Lane, onNode bool) bool { return inPod(l, evidence.Fresh) && onNode }},
	{"reused, on its nodes", func(l model.Lane, onNode bool) bool { return inPod(l, evidence.Reused) && onNode }},
	{"fresh, on others", func(l model.Lane, onNode bool) bool { return inPod(l, evidence.Fresh) && !onNode }},
	{"reused, on others", func(l model.Lane, onNode bool) bool { return inPod(l, evidence.Reused) && !onNode }},
	{"outside", func(l model.Lane, _ bool) bool { return l.Vantage == evidence.FromHost }},
}

func inPod(l model.Lane, conn evidence.Conn) bool {
	return l.Vantage == evidence.FromPod && l.Conn == conn && !l.Resends
}

// disrupted lists the scenarios with a disruption, sorted by suite and id, each with its modes side by side.
func disrupted(runs []model.Report) []model.Scenario {
	var all []model.Scenario
	for _, r := range runs {
		for _, s := range r.Scenarios {
			if s.Disruption == nil || !s.Ran() {
				continue
			}
			all = slices.DeleteFunc(all, func(earlier model.Scenario) bool { return earlier.Name() == s.Name() && earlier.Mode == s.Mode })
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b model.Scenario) int {
		if a.Name() != b.Name() {
			return strings.Compare(a.Name(), b.Name())
		}
		return compareModes(a.Mode, b.Mode)
	})
	return all
}

// failedOn returns a text like "178 of 21140", over the lanes that count.
func failedOn(s model.Scenario, counts func(lane model.Lane, onNode bool) bool) string {
	failed, sent := 0, 0
	for _, lane := range s.Lanes {
		if counts(lane, lane.Node != "" && slices.Contains(s.Disruption.Nodes, lane.Node)) {
			failed, sent = failed+lane.Failed(), sent+lane.Requests
		}
	}
	if sent == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", failed, sent)
}

// longestOutage returns the longest outage of the lanes through the Service.
func longestOutage(s model.Scenario) string {
	longest := 0.0
	for _, lane := range s.Lanes {
		if lane.Kind().RequestsApp() {
			longest = max(longest, lane.LongestOutage)
		}
	}
	if longest == 0 {
		return "none"
	}
	return model.InMilliseconds.Text(longest)
}
