package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// shownRuns is how many of the last runs are drawn.
const shownRuns = 30

// TrendSheet shows a history: the outcomes of every scenario and mode, and then its numbers, with the modes side by side.
func TrendSheet(h History, added Added) reports.Sheet {
	p := reports.Sheet{Title: "Rollcall trend", Text: notesOf(h, added)}
	all := h.Series()
	outcomes := reports.Section{
		Title: "Outcomes",
		Text:  []string{"✓ pass, ✗ fail, ? inconclusive, – skipped; the last run stands last. Flaky is the share of the runs that passed or failed whose outcome differs from most under the same conditions; inconclusive ones are about the machine and counted apart."},
		Head:  []string{"Scenario", "Mode", "Runs", "Flaky", "Inconclusive", "Last change"},
	}
	var sections []reports.Section
	for _, s := range all {
		outcomes.Rows = append(outcomes.Rows, outcomeRow(s))
		rows := numberRows(s)
		if len(rows) == 0 {
			continue
		}
		if n := len(sections); n == 0 || sections[n-1].Title != s.Scenario {
			sections = append(sections,
				reports.Section{Title: s.Scenario, Head: []string{"Number", "Mode", "Runs", "Last", "Median", "Least", "Most", "Measured"}})
		}
		section := &sections[len(sections)-1]
		section.Rows = append(section.Rows, rows...)
	}
	if len(outcomes.Rows) > 0 {
		p.Add(outcomes)
	}
	for _, section := range sections {
		p.Add(byNumber(section))
	}
	return p
}

// notesOf says what the history has, and what it does not.
func notesOf(h History, added Added) []string {
	first := fmt.Sprintf("%d runs, %d of them added now.", h.runs(), added.Runs)
	if n := len(h.Lines); n > 0 {
		first = fmt.Sprintf("%d runs, %d of them added now, from %s to %s. Numbers are of runs that passed or failed, the last %d.",
			h.runs(), added.Runs, day(h.Lines[0].Began), day(h.Lines[n-1].Began), shownRuns)
	}
	text := []string{first}
	for _, n := range h.Torn {
		text = append(text, fmt.Sprintf("Line %d of the history is torn: its writer was killed while writing it, and it is left out.", n))
	}
	for _, folder := range added.Going {
		text = append(text, fmt.Sprintf("%s is left out: its run has not ended, or was cut off.", folder))
	}
	for _, err := range added.Bad {
		text = append(text, fmt.Sprintf("Left out: %s.", err))
	}
	return text
}

func outcomeRow(s Series) []string {
	marks := map[string]string{
		verdict.Pass.String(): "✓", verdict.Fail.String(): "✗", verdict.Inconclusive.String(): "?", verdict.Skipped.String(): "–",
	}
	runs := ""
	for _, l := range last(s.Lines) {
		runs += marks[l.Outcome]
	}
	f := s.Flake()
	flaky, change := "-", "-"
	if f.Decided > 0 {
		flaky = fmt.Sprintf("%d of %d, %.0f%%", f.Other, f.Decided, 100*float64(f.Other)/float64(f.Decided))
	}
	if before, after, ok := s.LastChange(); ok {
		change = fmt.Sprintf("%s → %s in %s, %s", before.Outcome, after.Outcome, after.Run, day(after.Began))
		if before.Conditions() != after.Conditions() {
			change += ", and so did " + changed(before, after)
		}
	}
	return []string{s.Scenario, s.Mode, runs, flaky, fmt.Sprintf("%d of %d", f.Inconclusive, len(s.Lines)), change}
}

// changed names the conditions in which two lines differ.
func changed(before, after Line) string {
	var what []string
	for _, c := range []struct{ name, before, after string }{
		{"Kubernetes", minor(before.Kubernetes), minor(after.Kubernetes)}, {"CNI", before.CNI, after.CNI}, {"load", before.Load, after.Load},
	} {
		if c.before != c.after {
			what = append(what, fmt.Sprintf("%s, %s → %s", c.name, cmp.Or(c.before, "none"), cmp.Or(c.after, "none")))
		}
	}
	return strings.Join(what, "; ")
}

func numberRows(s Series) (rows [][]string) {
	lines := last(slices.DeleteFunc(slices.Clone(s.Lines), func(l Line) bool { return !l.Decided() }))
	for _, m := range model.ComparedMetrics() {
		values := make([]*float64, len(lines))
		var there []float64
		for i, l := range lines {
			if x, measured := l.Numbers[m.Key()]; measured {
				values[i], there = &x, append(there, x)
			}
		}
		if len(there) == 0 {
			continue
		}
		median := model.Median(there)
		rows = append(rows, []string{
			m.Title, s.Mode, sparkline(values, m.Sample.Margin), m.Unit.Text(there[len(there)-1]), m.Unit.Text(median),
			m.Unit.Text(slices.Min(there)), m.Unit.Text(slices.Max(there)), fmt.Sprintf("%d of %d", len(there), len(lines)),
		})
	}
	return rows
}

// byNumber sorts rows so that the modes of a number are beside each other.
func byNumber(s reports.Section) reports.Section {
	place := make(map[string]int)
	for i, m := range model.ComparedMetrics() {
		place[m.Title] = i
	}
	slices.SortStableFunc(s.Rows, func(a, b []string) int { return place[a[0]] - place[b[0]] })
	return s
}

func last(lines []Line) []Line { return lines[max(0, len(lines)-shownRuns):] }

func day(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }
