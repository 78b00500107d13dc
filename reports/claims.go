package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rollcall/harness/verdict"
)

// Claims writes a table in Markdown: for every seed claim the scenarios that cover it, what each says and how each
// mode answered, with the numbers; and below it the claims that nothing in the report covers. A mode in which
// nothing ran has no column.
func Claims(w io.Writer, r Report) error {
	modes := modesOf(r)
	var b bytes.Buffer
	fmt.Fprintf(&b, "| | the seed says | what was shown | %s |\n|---|---|---|%s\n", strings.Join(modes, " | "), strings.Repeat("---|", len(modes)))
	var open []string
	for i, says := range seed {
		claim := "C" + strconv.Itoa(i+1)
		scenarios := covering(r, claim)
		if len(scenarios) == 0 {
			open = append(open, claim)
		}
		name := claim
		for _, runs := range scenarios {
			fmt.Fprintf(&b, "| %s | %s | %s (`%s/%s`) |", name, escape(says), escape(runs[0].Claim), runs[0].Suite, runs[0].ID)
			for _, mode := range modes {
				fmt.Fprintf(&b, " %s |", inMode(mode, runs))
			}
			fmt.Fprintln(&b)
			name, says = "", "" // once for all scenarios of a claim
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\nNot covered: %s.\n", strings.Join(open, ", "))
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("reports: write claims: %w", err)
	}
	return nil
}

// modesOf lists the modes in which anything ran.
func modesOf(r Report) []string {
	var modes []string
	for _, s := range r.Scenarios {
		if s.Outcome != verdict.Skipped && !slices.Contains(modes, s.Mode) {
			modes = append(modes, s.Mode)
		}
	}
	return modes
}

// covering lists the scenarios that cover a claim, each with its runs, one per mode.
func covering(r Report, claim string) [][]Scenario {
	var all [][]Scenario
	for _, s := range r.Scenarios {
		if !slices.Contains(s.Covers, claim) {
			continue
		}
		i := slices.IndexFunc(all, func(runs []Scenario) bool { return runs[0].Suite == s.Suite && runs[0].ID == s.ID })
		if i < 0 {
			all = append(all, []Scenario{s})
			continue
		}
		all[i] = append(all[i], s)
	}
	slices.SortStableFunc(all, func(a, b []Scenario) int {
		return cmp.Or(cmp.Compare(a[0].Suite, b[0].Suite), cmp.Compare(a[0].ID, b[0].ID))
	})
	return all
}

// inMode is how a scenario ended in a mode, and what it measured there, or found out if it was not under load.
func inMode(mode string, runs []Scenario) string {
	i := slices.IndexFunc(runs, func(s Scenario) bool { return s.Mode == mode })
	if i < 0 {
		return "-"
	}
	s := runs[i]
	said := measured(s)
	if len(s.Lanes) == 0 {
		said = found(s)
	}
	return escape(strings.TrimSuffix(s.Outcome.String()+": "+strings.Join(said, ", "), ": "))
}

// measured is what a rollout cost.
func measured(s Scenario) (said []string) {
	add := func(name string, ms *float64) {
		if ms != nil {
			said = append(said, fmt.Sprintf("%s %.2f s", name, *ms/1000))
		}
	}
	add("status gap", s.Numbers.StatusGap)
	if lag := s.Numbers.DrainLag; lag != nil {
		add("drain lag ≤", &lag.Max)
	}
	if lag := s.Numbers.RuleLag; lag != nil {
		add("rule lag ≤", &lag.Max)
	}
	failed, requests := 0, 0
	for _, lane := range s.Lanes {
		failed, requests = failed+lane.Failed(), requests+lane.Requests
	}
	return append(said, fmt.Sprintf("%d of %d failed", failed, requests))
}

// foundMost bounds what a cell says of a scenario without load.
const foundMost = 4

// found is what the first rules came to.
func found(s Scenario) (said []string) {
	for _, rule := range s.Rules {
		if rule.Outcome != verdict.Skipped && len(said) < foundMost {
			said = append(said, rule.Because)
		}
	}
	return said
}
