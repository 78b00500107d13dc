package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"rollcall/harness/evidence"
	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/sheet"
)

// Disruptions writes a table in Markdown of what disruptions cost the clients in each mode of one or more runs: failed requests of
// all that were sent, by kind of lane, apart for lanes on the nodes it was done to. A scenario that several runs have in a mode is
// that of the last of them. What was not measured is a dash.
func Disruptions(w io.Writer, runs []model.Report) error {
	var b bytes.Buffer
	head := []string{"scenario", "mode", "what is done"}
	for _, c := range disruptedColumns {
		head = append(head, c.title)
	}
	b.WriteString(sheet.Head(append(head, "longest outage", "until whole", "outcome")...))
	for _, s := range disrupted(runs) {
		cells := []string{quoted(s), sheet.Escape(s.Mode), sheet.Escape(s.Disruption.Does)}
		for _, c := range disruptedColumns {
			cells = append(cells, failedOn(s, c.counts))
		}
		b.WriteString(sheet.Row(append(cells, longestOutage(s), inSeconds(s, "whole_ms"), s.Outcome.String())...))
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write disruptions: %w", err)
	}
	return nil
}

// disruptedColumns are the kinds of lanes that lose requests apart from each other. What clients send again by themselves is no loss.
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

// disrupted lists the scenarios in which something was done to the cluster, those of one suite together and each with its modes side
// by side.
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
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.ID, b.ID), compareModes(a.Mode, b.Mode))
	})
	return all
}

// failedOn is like "178 of 21140", over the lanes that count.
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

// longestOutage is that of the lanes through the Service.
func longestOutage(s model.Scenario) string {
	longest := 0.0
	for _, lane := range s.Lanes {
		if lane.Kind().AsksApp() {
			longest = max(longest, lane.LongestOutage)
		}
	}
	if longest == 0 {
		return "none"
	}
	return metric.Milliseconds.Text(longest)
}
