package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

// Limits of summary.md.
const (
	summaryLimit = 1 << 20 // bytes, which is all that GitHub shows of a step
	becauseLimit = 2000    // characters of one reason
)

// Markdown writes summary.md, worst first: totals, the reason for every outcome but pass, which known bugs were seen, the
// outcomes of scenarios in each mode, what was measured, and where the time went. It never has more than 1 MiB, and says what
// that left out.
func Markdown(w io.Writer, r model.Report) error {
	if _, err := w.Write(summary(r, summaryLimit)); err != nil {
		return fmt.Errorf("reports: write markdown: %w", err)
	}
	return nil
}

// summary has at most limit bytes.
func summary(r model.Report, limit int) []byte {
	d := draft{limit: limit}
	d.line("# Rollcall %s", Escape(r.Run.ID))
	d.line("\n%s", Escape(clipped(totals(r), becauseLimit)))
	for _, said := range append([]string{drainLine(r), ProfileLine(r)}, r.Run.Steps...) {
		if said != "" {
			d.line("\n%s", Escape(clipped(said, becauseLimit)))
		}
	}
	bugs := Bugs(r)
	r.Scenarios = worstFirst(r.Scenarios)
	d.notPassed(r.Scenarios)
	d.claims(r.Claims)
	d.bugs(bugs)
	d.outcomes(r.Scenarios)
	d.measured(r.Scenarios)
	d.spent(r.Run.Spent())
	return d.bytes()
}

// worstFirst is scenarios that failed, then inconclusive ones, then the others as they stand.
func worstFirst(scenarios []model.Scenario) []model.Scenario {
	return slices.SortedStableFunc(slices.Values(scenarios),
		func(a, b model.Scenario) int { return cmp.Compare(rank(a.Outcome), rank(b.Outcome)) })
}

func rank(o verdict.Outcome) int {
	switch o {
	case verdict.Fail:
		return 0
	case verdict.Inconclusive:
		return 1
	default:
		return 2
	}
}

// A draft is Markdown that stops growing at its limit, in bytes.
type draft struct {
	text    bytes.Buffer
	limit   int
	leftOut int // lines
}

// leftOut is what a draft ends with when not all of it fits, and its room.
const (
	leftOut     = "\n%d more lines do not fit; report.json has everything.\n"
	leftOutRoom = len(leftOut) + 20
)

func (d *draft) line(format string, args ...any) {
	line := fmt.Sprintf(format+"\n", args...)
	if d.leftOut > 0 || d.text.Len()+len(line) > d.limit-leftOutRoom {
		d.leftOut++
		return
	}
	d.text.WriteString(line)
}

func (d *draft) row(cells ...string) { d.line("%s", strings.TrimSuffix(Row(cells...), "\n")) }

func (d *draft) head(cells ...string) {
	for line := range strings.Lines(Head(cells...)) {
		d.line("%s", strings.TrimSuffix(line, "\n"))
	}
}

func (d *draft) bytes() []byte {
	if note := fmt.Sprintf(leftOut, d.leftOut); d.leftOut > 0 && len(note) <= d.limit {
		d.text.WriteString(note)
	}
	return d.text.Bytes()
}

// notPassed tells the reasons; scenarios that were skipped in a mode for the same one share a line.
func (d *draft) notPassed(scenarios []model.Scenario) {
	var lines []string
	for _, s := range scenarios {
		if s.Outcome != verdict.Fail && s.Outcome != verdict.Inconclusive {
			continue
		}
		look := s.Evidence
		if s.Diagnostics != "" {
			look += " and " + s.Diagnostics
		}
		lines = append(lines, fmt.Sprintf("- **%s** %s on %s: %s (see %s)",
			s.Outcome, Escape(s.Name()), Escape(s.Mode), Escape(clipped(headline(s), becauseLimit)), Escape(look)))
		facts := factsLine(s.Facts)
		for _, away := range s.AgentsAway {
			facts += "; " + away.String()
		}
		if facts = strings.TrimPrefix(facts, "; "); facts != "" {
			lines = append(lines, "  <details><summary>details</summary>"+Escape(clipped(facts, becauseLimit))+"</details>")
		}
	}
	for _, s := range skipsOf(scenarios) {
		lines = append(lines, fmt.Sprintf("- **skipped** on %s: %s (%s)",
			Escape(s.mode), Escape(clipped(s.because, becauseLimit)), Escape(strings.Join(s.names, ", "))))
	}
	if len(lines) == 0 {
		return
	}
	d.line("\n## Not passed\n")
	for _, line := range lines {
		d.line("%s", line)
	}
}

// claims is a line for each mode: how many seed claims were decided, by which evidence, and which were not.
func (d *draft) claims(claims []model.Claim) {
	for i, mode := range modesWith(claims) {
		if i == 0 {
			d.line("\n## Seed claims\n")
		}
		d.line("- %s: %s", Escape(mode), Escape(countClaims(mode, claims)))
	}
}

// bugs is a table of whether clusters have known bugs.
func (d *draft) bugs(rows []BugRow) {
	if len(rows) == 0 {
		return
	}
	d.line("\n## Is this cluster affected by known bugs of Kubernetes?\n")
	d.head("ANSWER", "BUG", "COMPONENT", "VERSION", "FIX", "MODE", "SCENARIO", "WHY IT CANNOT BE TOLD")
	for _, r := range rows {
		cells := append(r.cells(), r.Why)
		for i, cell := range cells {
			cells[i] = Escape(clipped(cell, becauseLimit))
		}
		cells[1] = fmt.Sprintf("[%s](%s)", cells[1], r.Bug.URL)
		d.row(cells...)
	}
}

// factsLine is like "by kind: 2 refused, 1 timeout; node: worker".
func factsLine(facts []model.Fact) string {
	var parts []string
	for _, f := range facts {
		parts = append(parts, f.Name+": "+f.Value)
	}
	return strings.Join(parts, "; ")
}

// outcomes is the table of scenarios and modes.
func (d *draft) outcomes(scenarios []model.Scenario) {
	if len(scenarios) == 0 {
		return
	}
	type place struct{ scenario, mode string }
	var names, modes []string
	said := make(map[place]string)
	for _, s := range scenarios {
		name := s.Name()
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(modes, s.Mode) {
			modes = append(modes, s.Mode)
		}
		said[place{name, s.Mode}] = word(s)
	}
	slices.SortFunc(modes, compareModes)
	cells := []string{"SCENARIO"}
	for _, mode := range modes {
		cells = append(cells, Escape(mode))
	}
	d.line("\n## Outcomes\n")
	d.head(cells...)
	for _, name := range names {
		cells := []string{Escape(name)}
		for _, mode := range modes {
			cells = append(cells, cmp.Or(said[place{name, mode}], "-"))
		}
		d.row(cells...)
	}
}

// word is an outcome, bold where somebody should look.
func word(s model.Scenario) string {
	said := s.Outcome.String()
	if rank(s.Outcome) < rank(verdict.Pass) {
		said = "**" + said + "**"
	}
	if s.Attempts > 1 {
		said += fmt.Sprintf(", attempt %d", s.Attempts)
	}
	return said
}

// measured is the table of scenarios that were under load.
func (d *draft) measured(scenarios []model.Scenario) {
	title := false
	for _, s := range scenarios {
		if len(s.LoadLanes()) == 0 {
			continue
		}
		if !title {
			names := columns()
			d.line("\n## Under load\n")
			d.head(names[:]...)
			title = true
		}
		cells := newRow(s)
		for i, cell := range cells {
			cells[i] = Escape(clipped(cell, becauseLimit))
		}
		d.row(cells[:]...)
	}
}

// spent is the table of where the time went.
func (d *draft) spent(parts []model.Spent) {
	if len(parts) == 0 {
		return
	}
	var names, times []string
	for _, s := range parts {
		names, times = append(names, string(s.Part)), append(times, fmt.Sprintf("%.0f s", s.Seconds))
	}
	d.line("\n## Where the time went\n\nRecordings side by side add up; idle is when nothing was under way.\n")
	d.head(names...)
	d.row(times...)
}
