package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/sheet"
)

// Claims writes tables in Markdown of one or more runs. The first has every seed claim with the scenarios that cover it, the
// rules that decided it there, and how each mode answered by which evidence; the second why some were not decided, the third what
// those scenarios claim themselves, the fourth what was measured of those under load. A mode in which nothing ran has no column;
// that of one that several runs have is of the last of them.
func Claims(w io.Writer, runs []model.Report) error {
	all := lastOfEachMode(runs)
	modes := modesOf(all)
	var b bytes.Buffer
	b.WriteString(sheet.Head(append([]string{"claim", "the seed says", "decided by"}, modes...)...))
	decided := newClaims(all)
	var open []string
	shown := map[string][]model.Scenario{} // by name, the runs of a scenario that covers any claim
	for i, c := range seed {
		claim := "C" + strconv.Itoa(i+1)
		scenarios := covering(all, claim)
		if len(scenarios) == 0 {
			open = append(open, claim)
			continue
		}
		var names []string
		for _, runs := range scenarios {
			names = append(names, quoted(runs[0])+rulesOf(runs[0].Name(), claim, decided))
			shown[quoted(runs[0])] = runs
		}
		says := c.Says
		if c.Truth != "" {
			says += " (false: " + c.Truth + ")"
		}
		cells := []string{claim, sheet.Escape(says), strings.Join(names, "<br>")}
		for _, mode := range modes {
			cells = append(cells, inMode(mode, claim, decided))
		}
		b.WriteString(sheet.Row(cells...))
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nNot covered: %s.\n", strings.Join(open, ", "))
	}
	writeOpen(&b, modes, decided)
	if len(shown) > 0 {
		writeShown(&b, shown)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write claims: %w", err)
	}
	return nil
}

// writeShown writes what scenarios claim, and what was measured of those that were under load.
func writeShown(b *bytes.Buffer, scenarios map[string][]model.Scenario) {
	b.WriteString("\nWhat the scenarios show:\n\n" + sheet.Head("scenario", "its claim"))
	names := slices.Sorted(maps.Keys(scenarios))
	for _, name := range names {
		b.WriteString(sheet.Row(name, sheet.Escape(scenarios[name][0].Claim)))
	}
	b.WriteString("\nWhat was measured of those under load, lags at most:\n\n" +
		sheet.Head("scenario", "mode", "status gap", "drain lag", "rule lag", "requests failed"))
	for _, name := range names {
		for _, s := range scenarios[name] {
			if len(s.Lanes) > 0 {
				b.WriteString(sheet.Row(append([]string{name, s.Mode}, measured(s)...)...))
			}
		}
	}
}

func quoted(s model.Scenario) string { return fmt.Sprintf("`%s/%s`", s.Suite, s.ID) }

// lastOfEachMode is what ran in each mode, of the last of the runs in which anything did.
func lastOfEachMode(runs []model.Report) []model.Scenario {
	var all []model.Scenario
	for _, r := range runs {
		modes := modesOf(r.Scenarios)
		all = slices.DeleteFunc(all, func(s model.Scenario) bool { return slices.Contains(modes, s.Mode) })
		for _, s := range r.Scenarios {
			if slices.Contains(modes, s.Mode) {
				all = append(all, s)
			}
		}
	}
	return all
}

// modesOf lists the modes in which anything ran.
func modesOf(scenarios []model.Scenario) []string {
	var modes []string
	for _, s := range scenarios {
		if s.Ran() && !slices.Contains(modes, s.Mode) {
			modes = append(modes, s.Mode)
		}
	}
	return modes
}

// covering lists the scenarios that cover a claim, each with its runs, one per mode.
func covering(scenarios []model.Scenario, claim string) [][]model.Scenario {
	var all [][]model.Scenario
	for _, s := range scenarios {
		if !slices.Contains(s.Covers, claim) {
			continue
		}
		i := slices.IndexFunc(all, func(runs []model.Scenario) bool { return runs[0].Suite == s.Suite && runs[0].ID == s.ID })
		if i < 0 {
			all = append(all, []model.Scenario{s})
			continue
		}
		all[i] = append(all[i], s)
	}
	slices.SortStableFunc(all, func(a, b []model.Scenario) int {
		return cmp.Or(cmp.Compare(a[0].Suite, b[0].Suite), cmp.Compare(a[0].ID, b[0].ID))
	})
	return all
}

// rulesOf is the rules of a scenario that decided a claim in any mode, such as ": no-failures, max-rule-lag".
func rulesOf(scenario, claim string, decided []model.Claim) string {
	var rules []string
	for _, c := range decided {
		for _, by := range c.DecidedBy {
			if c.ID == claim && by.Scenario == scenario && !slices.Contains(rules, by.Rule) {
				rules = append(rules, by.Rule)
			}
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return ": " + strings.Join(rules, ", ")
}

// inMode is how a claim ended in a mode, and by which evidence, such as "holds by clients".
func inMode(mode, claim string, decided []model.Claim) string {
	i := slices.IndexFunc(decided, func(c model.Claim) bool { return c.ID == claim && c.Mode == mode })
	switch {
	case i < 0:
		return "-"
	case len(decided[i].DecidedBy) == 0:
		return string(decided[i].Outcome)
	}
	return fmt.Sprintf("%s by %s", decided[i].Outcome, decided[i].Evidence)
}

// writeOpen writes which claims that scenarios cover were not shown, and why.
func writeOpen(b *bytes.Buffer, modes []string, decided []model.Claim) {
	title := false
	for _, c := range decided {
		if c.Outcome.Shown() || !slices.Contains(modes, c.Mode) {
			continue
		}
		if !title {
			b.WriteString("\nNot shown:\n\n" + sheet.Head("claim", "mode", "because"))
			title = true
		}
		b.WriteString(sheet.Row(c.ID, c.Mode, sheet.Escape(c.Because)))
	}
}

// measured is what a rollout cost, in the columns of its table.
func measured(s model.Scenario) []string {
	var cells []string
	for _, key := range []string{"status_gap_ms", "drain_lag_max_ms", "rule_lag_max_ms"} {
		cell := "-"
		if v := metric.ValueOf(s, key); v != nil {
			cell = fmt.Sprintf("%.2f s", v.Value/1000)
		}
		cells = append(cells, cell)
	}
	return append(cells, fmt.Sprintf("%d of %d", s.Failed(), s.Requests()))
}
