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

// seedClaims is how many claims there are: C1 to C41.
const seedClaims = 41

// Claims writes a table in Markdown: for every seed claim what the scenarios that cover it say, and how each
// mode answered; and below it the claims that nothing in the report covers.
func Claims(w io.Writer, r Report) error {
	modes := modesOf(r)
	var b bytes.Buffer
	fmt.Fprintf(&b, "| seed claim | what a scenario says | %s | numbers |\n|---|---|%s---|\n", strings.Join(modes, " | "), strings.Repeat("---|", len(modes)))
	var open []string
	for n := 1; n <= seedClaims; n++ {
		claim := "C" + strconv.Itoa(n)
		scenarios := covering(r, claim)
		if len(scenarios) == 0 {
			open = append(open, claim)
		}
		for _, runs := range scenarios {
			fmt.Fprintf(&b, "| %s | %s (`%s/%s`) |", claim, escape(runs[0].Claim), runs[0].Suite, runs[0].ID)
			for _, mode := range modes {
				fmt.Fprintf(&b, " %s |", outcomeIn(mode, runs))
			}
			fmt.Fprintf(&b, " %s |\n", escape(numbers(runs)))
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

func modesOf(r Report) []string {
	var modes []string
	for _, c := range r.Clusters {
		if !slices.Contains(modes, c.Mode) {
			modes = append(modes, c.Mode)
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

func outcomeIn(mode string, runs []Scenario) string {
	for _, s := range runs {
		if s.Mode == mode {
			return s.Outcome.String()
		}
	}
	return "-"
}

// numbers is what the runs of a scenario under load measured, by mode; of others what they found in the first.
func numbers(runs []Scenario) string {
	var parts []string
	for _, s := range runs {
		var said []string
		add := func(name string, ms *float64) {
			if ms != nil {
				said = append(said, fmt.Sprintf("%s %.2f s", name, *ms/1000))
			}
		}
		add("status gap", s.Numbers.StatusGap)
		if lag := s.Numbers.DrainLag; lag != nil {
			add("drain lag at most", &lag.Max)
		}
		if lag := s.Numbers.RuleLag; lag != nil {
			add("rule lag at most", &lag.Max)
		}
		failed := 0
		for _, lane := range s.Lanes {
			failed += lane.Failed()
		}
		if len(s.Lanes) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", s.Mode, strings.Join(append(said, fmt.Sprintf("%d failed", failed)), ", ")))
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "; ")
	}
	var found []string
	for _, rule := range runs[0].Rules {
		if rule.Outcome != verdict.Skipped {
			found = append(found, rule.Because)
		}
	}
	return strings.Join(found, "; ")
}
