package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// Limits of summary.md.
const (
	summaryLimit = 1 << 20 // bytes, the most that GitHub shows of a step
	becauseLimit = 2000    // characters of one reason
)

// Markdown writes summary.md, worst first: totals, the reason for every outcome but pass, what was not looked at, what load
// says to findings of an app's manifests, what to change in them, which known bugs were seen, the outcomes of scenarios in each mode, what
// was measured, and how the run went. It has at most 1 MiB, and says how much that left out.
func Markdown(w io.Writer, r model.Report) error {
	return write(w, "markdown", summary(r, summaryLimit))
}

// summary returns summary.md with at most limit bytes.
func summary(r model.Report, limit int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Rollcall %s\n", Escape(r.Run.ID))
	for _, said := range slices.Concat([]string{totals(r), neededLine(r)}, clusterLines(r.Clusters)) {
		if said != "" {
			fmt.Fprintf(&b, "\n%s\n", limited(said))
		}
	}
	scenarios := worstFirst(r.Scenarios)
	modes := model.Distinct(scenarios, func(s model.Scenario) string { return s.Mode })
	slices.SortFunc(modes, compareModes)
	list(&b, "Not passed", notPassed(scenarios))
	list(&b, "Not looked at", notLookedAt(scenarios))
	list(&b, TestedTitle, mapped(Tested(r.Findings), func(line string) string { return "- " + limited(line) }))
	toChange(&b, scenarios)
	table(&b, "Is this cluster affected by known bugs of Kubernetes?",
		[]string{"ANSWER", "BUG", "COMPONENT", "VERSION", "FIX", "MODE", "SCENARIO", "WHY IT CANNOT BE TOLD"}, knownBugs(Bugs(r)))
	table(&b, "Outcomes", append([]string{"SCENARIO"}, escaped(modes)...), outcomes(scenarios, modes))
	table(&b, "Under load", append(columns(), "WHAT IT SHOWED"), measured(scenarios))
	list(&b, "Claims", decidedClaims(r.Claims))
	list(&b, "How the run went", mapped(HowItWent(r), func(line string) string { return "- " + limited(line) }))
	return fitting(b.Bytes(), limit)
}

// limited escapes recorded text for Markdown and cuts it to becauseLimit.
func limited(text string) string { return Escape(phrase.Cut(text, becauseLimit)) }

// list writes a section of lines, if there are any.
func list(b *bytes.Buffer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n## %s\n\n%s\n", title, strings.Join(lines, "\n"))
	}
}

// table writes a section with a table, if it has rows.
func table(b *bytes.Buffer, title string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s", title, Head(head...))
	for _, row := range rows {
		b.WriteString(Row(row...))
	}
}

// clusterLines says what the scenarios of each mode ran on, such as
// "iptables: Kubernetes v1.36.3 (kind, 3 nodes, network kindnet, kernel 6.12.0)".
func clusterLines(clusters []evidence.Cluster) (lines []string) {
	for _, c := range clusters {
		if c.Kubernetes == "" {
			continue // no cluster
		}
		about := []string{c.Provider, phrase.Count(c.Nodes, "node")}
		if c.CNI != "" {
			about = append(about, "network "+c.CNI)
		}
		if c.Kernel != "" {
			about = append(about, "kernel "+c.Kernel)
		}
		about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
		lines = append(lines, fmt.Sprintf("%s: Kubernetes %s (%s)", c.Mode, c.Kubernetes, strings.Join(about, ", ")))
	}
	return lines
}

// fitting cuts a text of more than limit bytes to the lines that fit, and adds how many do not.
func fitting(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	const leftOut = "\n%d more lines do not fit; report.json has everything.\n"
	fits := bytes.LastIndexByte(text[:max(0, limit-len(leftOut)-20)], '\n') + 1
	note := fmt.Sprintf(leftOut, bytes.Count(text[fits:], []byte("\n")))
	if len(note) > limit {
		return nil
	}
	return append(text[:fits:fits], note...)
}

// worstFirst sorts scenarios: failed ones, inconclusive ones, then the others in their order.
func worstFirst(scenarios []model.Scenario) []model.Scenario {
	bad := []verdict.Outcome{verdict.Inconclusive, verdict.Fail}
	return slices.SortedStableFunc(slices.Values(scenarios),
		func(a, b model.Scenario) int { return slices.Index(bad, b.Outcome) - slices.Index(bad, a.Outcome) })
}

// notPassed returns a line with the reason of every scenario that did not pass; those skipped in a mode for the same reason share one.
func notPassed(scenarios []model.Scenario) (lines []string) {
	for _, s := range scenarios {
		if !s.Bad() {
			continue
		}
		look := s.Evidence
		if s.Diagnostics != "" {
			look += " and " + s.Diagnostics
		}
		line := fmt.Sprintf("- **%s** %s on %s: %s (see %s)", s.Outcome, Escape(s.Name()), Escape(s.Mode), limited(s.Brief()), Escape(look))
		if codes := RemedyCodes(s); len(codes) > 0 {
			line += fmt.Sprintf("; what to do: `rollcall explain %s`", strings.Join(codes, " "))
		}
		lines = append(lines, line)
		for _, c := range s.Causes {
			lines = append(lines, "  - "+limited(c.Text))
		}
		facts := factsLine(s.Facts)
		for _, away := range s.AgentsAway {
			facts += "; " + away.String()
		}
		if facts = strings.TrimPrefix(facts, "; "); facts != "" {
			lines = append(lines, "  <details><summary>details</summary>"+limited(facts)+"</details>")
		}
	}
	for _, s := range skipsOf(scenarios) {
		lines = append(lines, fmt.Sprintf("- **skipped** on %s: %s (%s)",
			Escape(s.mode), limited(s.because), Escape(strings.Join(s.names, ", "))))
	}
	return lines
}

// notLookedAt returns a line for each limit.
func notLookedAt(scenarios []model.Scenario) (lines []string) {
	for _, l := range NotLookedAt(scenarios) {
		line := fmt.Sprintf("- %s on %s (%s)", limited(l.Text), Escape(l.Mode), Escape(strings.Join(l.Scenarios, ", ")))
		if l.Code != "" {
			line += fmt.Sprintf("; more: `rollcall explain %s`", l.Code)
		}
		lines = append(lines, line)
	}
	return lines
}

// toChange writes the advice to the owner of an app and the diff of the manifest that follows it, by scenario.
func toChange(b *bytes.Buffer, scenarios []model.Scenario) {
	const fence = "````````" // longer than any that a manifest has
	title := "\n## What to change\n"
	for _, s := range scenarios {
		if len(s.Advice) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s\n%s on %s:\n\n", title, Escape(s.Name()), Escape(s.Mode))
		for _, a := range s.Advice {
			fmt.Fprintf(b, "- %s\n", limited(a.String()))
		}
		if s.Patch != nil {
			fmt.Fprintf(b, "\n%sdiff\n%s\n%s\n", fence, strings.TrimRight(s.Patch.Diff, "\n"), fence)
		}
		title = ""
	}
}

// decidedClaims returns a line for each mode: how many claims of suites/CLAIMS.md were decided, by which evidence, and which were not;
// and one for each that is false, with what was measured instead.
func decidedClaims(claims []model.Claim) (lines []string) {
	for _, mode := range model.Distinct(claims, func(c model.Claim) string { return c.Mode }) {
		line := fmt.Sprintf("- %s: %s", Escape(mode), Escape(countClaims(mode, claims)))
		var open []string
		for _, c := range claims {
			if c.Mode == mode && (c.Outcome == model.Violated || c.Outcome == model.NotShown) {
				open = append(open, c.ID)
			}
		}
		if len(open) > 0 {
			line += fmt.Sprintf("; why: `rollcall explain %s`", strings.Join(open, " "))
		}
		lines = append(lines, line)
		for _, c := range claims {
			if c.Mode == mode && c.Outcome == model.Refuted {
				lines = append(lines, fmt.Sprintf("  - %s is false: %s. Measured: %s", c.ID, Escape(c.Truth), limited(strings.Join(c.Measured, "; "))))
			}
		}
	}
	return lines
}

// knownBugs returns the rows of the table of known bugs.
func knownBugs(bugs []BugRow) (rows [][]string) {
	for _, r := range bugs {
		cells := mapped(append(r.cells(), r.Why), limited)
		cells[1] = fmt.Sprintf("[%s](%s)", cells[1], r.Bug.URL)
		rows = append(rows, cells)
	}
	return rows
}

// factsLine returns a line such as "by kind: 2 refused, 1 timeout; node: worker".
func factsLine(facts []verdict.Detail) string {
	var parts []string
	for _, f := range facts {
		parts = append(parts, f.Name+": "+f.Value)
	}
	return strings.Join(parts, "; ")
}

// outcomes returns a row for each scenario, with its outcome in each mode.
func outcomes(scenarios []model.Scenario, modes []string) (rows [][]string) {
	type place struct{ scenario, mode string }
	said := make(map[place]string)
	for _, s := range scenarios {
		said[place{s.Name(), s.Mode}] = word(s)
	}
	for _, name := range model.Distinct(scenarios, model.Scenario.Name) {
		cells := []string{Escape(name)}
		for _, mode := range modes {
			cells = append(cells, cmp.Or(said[place{name, mode}], "-"))
		}
		rows = append(rows, cells)
	}
	return rows
}

// word returns an outcome, bold where somebody should look, and the number of a second or later attempt.
func word(s model.Scenario) string {
	said := s.Outcome.String()
	if s.Bad() {
		said = "**" + said + "**"
	}
	if s.Attempts > 1 {
		said += fmt.Sprintf(", attempt %d", s.Attempts)
	}
	return said
}

// measured returns the rows of the scenarios that were under load.
func measured(scenarios []model.Scenario) (rows [][]string) {
	for _, s := range scenarios {
		if len(s.LoadLanes()) > 0 {
			rows = append(rows, mapped(append(newRow(s), s.Brief()), limited))
		}
	}
	return rows
}
