package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Limits of what is printed, in characters.
const (
	cellWidth  = 60
	tableWidth = 120
	lineWidth  = 116 // of text below a row or the table, some of it indented by 4
)

// Terminal writes the table that a person reads when a run ends: plain text without colour, a line per scenario and below it the result,
// with facts if it did not pass. Then follow what was skipped, by reason, which known bugs were seen, what load says to findings of the
// manifests, what several scenarios did not look at, and how the run went.
func Terminal(w io.Writer, r model.Report) error {
	rows := [][]string{columns()}
	shown := slices.DeleteFunc(slices.Clone(r.Scenarios), func(s model.Scenario) bool { return s.Outcome == verdict.Skipped })
	for _, s := range shown {
		rows = append(rows, newRow(s))
	}
	var b bytes.Buffer
	lines, limits := aligned(rows), NotLookedAt(r.Scenarios)
	for i, s := range shown {
		if i == 0 {
			fmt.Fprintln(&b, lines[0])
		}
		fmt.Fprintln(&b, lines[i+1])
		below(&b, s, limits)
	}
	for _, s := range skipsOf(r.Scenarios) {
		fmt.Fprintf(&b, "skipped in %s: %s\n", clip(s.mode), phrase.Printable(s.because))
		if s.all && len(s.names) > 1 {
			explain(&b, fmt.Sprintf("all %d scenarios", len(s.names)))
		} else {
			explain(&b, strings.Join(s.names, ", "))
		}
	}
	printBugs(&b, Bugs(r))
	printTested(&b, r.Findings)
	fmt.Fprintln(&b)
	for _, text := range slices.Concat([]string{totals(r)}, sharedLimits(limits), About(r)) {
		for i, line := range phrase.Wrap(phrase.Printable(text), lineWidth) {
			if i > 0 {
				line = "    " + line
			}
			fmt.Fprintln(&b, line)
		}
	}
	return write(w, "table", b.Bytes())
}

// below writes the text below a scenario's row, with those limits that no other scenario shares.
func below(b *bytes.Buffer, s model.Scenario, limits []Limit) {
	texts := []string{s.Brief()}
	if s.Outcome != verdict.Pass {
		for _, f := range s.Facts {
			texts = append(texts, f.Name+": "+f.Value)
		}
	}
	for _, l := range limits {
		if !l.shared() && l.Mode == s.Mode && l.Scenarios[0] == s.Name() {
			texts = append(texts, "limit: "+l.Text)
		}
	}
	for _, away := range s.AgentsAway {
		texts = append(texts, away.String())
	}
	if s.FlowsLack != "" {
		texts = append(texts, "which pod each connection went to is not known: "+s.FlowsLack)
	}
	if s.Outcome != verdict.Pass || len(s.Advice) > 0 { // else the scenario expects its losses
		for _, c := range s.Causes {
			texts = append(texts, "cause: "+c.Text)
		}
	}
	for _, a := range s.Advice {
		texts = append(texts, "advice: "+a.String())
	}
	for _, text := range append(texts, disruptedTotals(s), streamTotals(s), requestTotals(s)) {
		explain(b, text)
	}
	printPatch(b, s.Patch)
	explain(b, remedy(s))
}

// aligned returns a line for each row, with the cells of a column one below the other, without columns that are empty.
func aligned(rows [][]string) (lines []string) {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
	for _, cells := range rows {
		for _, cell := range cells {
			fmt.Fprint(table, clip(cell), "\v") // a \v, not a \t, ends the cells of columns that may be left out
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // to memory: it cannot fail
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// explain writes a text below the line that it explains.
func explain(b *bytes.Buffer, text string) {
	for _, line := range phrase.Wrap(phrase.Printable(text), lineWidth) {
		fmt.Fprintln(b, "    "+line)
	}
}

// printPatch writes the diff of a patch as it is: YAML escapes what cannot be printed.
func printPatch(b *bytes.Buffer, p *model.Patch) {
	if p == nil {
		return
	}
	explain(b, fmt.Sprintf("the manifest follows %s with:", strings.Join(p.Follows, ", ")))
	for line := range strings.Lines(p.Diff) {
		b.WriteString("    " + line)
	}
}

// clip makes a cell one line of at most cellWidth characters.
func clip(cell string) string { return phrase.Cut(phrase.Printable(cell), cellWidth) }
