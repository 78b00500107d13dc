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

	"rollcall/harness/verdict"
	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/sheet"
)

// Claims writes a table in Markdown of one or more runs: for every seed claim the scenarios that cover it, what they say
// and how each mode answered, with what rollouts cost there; and below it the claims that nothing covers. A mode in which
// nothing ran has no column; that of one that several runs have is of the last of them.
func Claims(w io.Writer, runs []model.Report) error {
	all := lastOfEachMode(runs)
	modes := modesOf(all)
	var b bytes.Buffer
	fmt.Fprintf(&b, "| | the seed says | what was shown | %s |\n|---|---|---|%s\n", strings.Join(modes, " | "), strings.Repeat("---|", len(modes)))
	var open []string
	for i, says := range seed {
		claim := "C" + strconv.Itoa(i+1)
		scenarios := covering(all, claim)
		if len(scenarios) == 0 {
			open = append(open, claim)
			continue
		}
		var shown []string
		for _, runs := range scenarios {
			shown = append(shown, fmt.Sprintf("%s (`%s/%s`)", sheet.Escape(runs[0].Claim), runs[0].Suite, runs[0].ID))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", claim, sheet.Escape(says), strings.Join(shown, "<br>"))
		for _, mode := range modes {
			fmt.Fprintf(&b, " %s |", inMode(mode, scenarios))
		}
		fmt.Fprintln(&b)
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nNot covered: %s.\n", strings.Join(open, ", "))
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write claims: %w", err)
	}
	return nil
}

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
		if s.Outcome != verdict.Skipped && !slices.Contains(modes, s.Mode) {
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

// inMode is how the scenarios of a claim ended in a mode, and what those under load measured there.
func inMode(mode string, scenarios [][]model.Scenario) string {
	ended := map[verdict.Outcome]int{}
	ran := 0
	var cells []string
	for _, runs := range scenarios {
		i := slices.IndexFunc(runs, func(s model.Scenario) bool { return s.Mode == mode })
		if i < 0 {
			continue
		}
		ended[runs[i].Outcome]++
		if ran++; len(runs[i].Lanes) > 0 {
			cells = append(cells, fmt.Sprintf("`%s`: %s", runs[i].ID, strings.Join(measured(runs[i]), ", ")))
		}
	}
	var outcomes []string
	for _, outcome := range slices.Sorted(maps.Keys(ended)) {
		outcomes = append(outcomes, fmt.Sprintf("%d %s", ended[outcome], outcome))
	}
	said := strings.Join(outcomes, ", ")
	switch {
	case ran == 0:
		said = "-"
	case len(ended) == 1:
		said = strings.TrimPrefix(said, fmt.Sprintf("%d ", ran)) // which of them needs no telling
	}
	return strings.Join(append([]string{said}, cells...), "<br>")
}

// measured is what a rollout cost.
func measured(s model.Scenario) (said []string) {
	for _, number := range []struct{ name, key string }{{"status gap", "status_gap_ms"}, {"drain lag ≤", "drain_lag_max_ms"}, {"rule lag ≤", "rule_lag_max_ms"}} {
		if v := metric.ValueOf(s, number.key); v != nil {
			said = append(said, fmt.Sprintf("%s %.2f s", number.name, v.Value/1000))
		}
	}
	return append(said, fmt.Sprintf("%d of %d failed", s.Failed(), s.Requests()))
}
