package suites_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// Each mode is from the last run that has it.
func TestClaimsTable(t *testing.T) {
	printTable(t, "claims", "CLAIMS.md", claimsTable)
	run := smallRun(t)
	golden.File(t, "testdata/claims.md", claimsTable([]model.Report{run}))
	worse := smallRun(t)
	for i := range worse.Scenarios {
		worse.Scenarios[i].Lanes = nil
	}
	for i := range worse.Claims {
		worse.Claims[i].Outcome = model.NotShown
	}
	if diff := cmp.Diff(claimsTable([]model.Report{run}), claimsTable([]model.Report{worse, run})); diff != "" {
		t.Errorf("an earlier run shows (-alone +with it):\n%s", diff)
	}
}

// claimsTable returns tables of one or more runs. The first has every seed claim with what to do, the scenarios that cover it, the rules
// that decided it there, and how each mode answered by which evidence; the second why some were not decided; the third what those
// scenarios claim themselves; the fourth what was measured of those under load. A mode in which nothing ran has no column.
func claimsTable(runs []model.Report) string {
	all, decided := lastOfEachMode(runs)
	modes := modesOf(all)
	var b strings.Builder
	b.WriteString(reports.Head(append([]string{"claim", "the seed says", "what to do", "decided by"}, modes...)...))
	var open []string
	shown := map[string][]model.Scenario{} // by name, the runs of a scenario that covers any claim
	for i := range reports.SeedClaims {
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
		seed, _ := reports.SeedClaimOf(claim)
		says := seed.Says
		if seed.Truth != "" {
			says += " (false: " + seed.Truth + ")"
		}
		cells := []string{claim, reports.Escape(says), reports.Escape(seed.Do), strings.Join(names, "<br>")}
		for _, mode := range modes {
			cells = append(cells, inMode(mode, claim, decided))
		}
		b.WriteString(reports.Row(cells...))
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nNot covered: %s.\n", strings.Join(open, ", "))
	}
	writeOpen(&b, modes, decided)
	if len(shown) > 0 {
		writeShown(&b, shown)
	}
	return b.String()
}

// writeShown writes what scenarios claim, and what was measured of those under load.
func writeShown(b *strings.Builder, scenarios map[string][]model.Scenario) {
	b.WriteString("\nWhat the scenarios show:\n\n" + reports.Head("scenario", "its claim"))
	names := slices.Sorted(maps.Keys(scenarios))
	for _, name := range names {
		b.WriteString(reports.Row(name, reports.Escape(scenarios[name][0].Claim)))
	}
	b.WriteString("\nWhat was measured of those under load, lags at most:\n\n" +
		reports.Head("scenario", "mode", "status gap", "drain lag", "rule lag", "requests failed"))
	for _, name := range names {
		for _, s := range scenarios[name] {
			if len(s.Lanes) > 0 {
				b.WriteString(reports.Row(name, s.Mode, inSeconds(s, "status_gap_ms"), inSeconds(s, "drain_lag_max_ms"),
					inSeconds(s, "rule_lag_max_ms"), failedOf(s)))
			}
		}
	}
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
	slices.SortStableFunc(all, func(a, b []model.Scenario) int { return strings.Compare(a[0].Name(), b[0].Name()) })
	return all
}

// rulesOf returns the rules of a scenario that decided a claim in any mode, such as ": no-failures, max-rule-lag".
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

// inMode returns how a claim ended in a mode, and by which evidence, such as "holds by clients".
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

// writeOpen writes which of the covered claims were not shown, and why.
func writeOpen(b *strings.Builder, modes []string, decided []model.Claim) {
	title := false
	for _, c := range decided {
		if c.Outcome.Shown() || !slices.Contains(modes, c.Mode) {
			continue
		}
		if !title {
			b.WriteString("\nNot shown:\n\n" + reports.Head("claim", "mode", "because"))
			title = true
		}
		b.WriteString(reports.Row(c.ID, c.Mode, reports.Escape(c.Because)))
	}
}
