package suites_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

//go:generate go test . -update

// runsVariable is the environment variable with the run folders whose table is printed, or written into its guide.
const runsVariable = "ROLLCALL_RUNS"

// printTable prints a table of the named runs, if any are, or with -update writes it into a section of a guide.
func printTable(t *testing.T, section, guide string, table func([]model.Report) string) {
	t.Helper()
	var runs []model.Report
	for _, dir := range strings.Fields(os.Getenv(runsVariable)) {
		r, err := reports.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	switch {
	case len(runs) == 0:
	case golden.Updating():
		golden.Section(t, guide, section, table(runs))
	default:
		fmt.Print(table(runs))
	}
}

// smallRun returns the run of the golden files of package reports.
func smallRun(t *testing.T) (r model.Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(readFile(t, "../reports/testdata/report.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lastOfEachMode returns for each mode the scenarios and claims of the last run in which anything ran in it.
func lastOfEachMode(runs []model.Report) (all []model.Scenario, decided []model.Claim) {
	for _, r := range runs {
		modes := modesOf(r.Scenarios)
		other := func(mode string) bool { return !slices.Contains(modes, mode) }
		all = slices.DeleteFunc(all, func(s model.Scenario) bool { return !other(s.Mode) })
		decided = slices.DeleteFunc(decided, func(c model.Claim) bool { return !other(c.Mode) })
		all = append(all, slices.DeleteFunc(slices.Clone(r.Scenarios), func(s model.Scenario) bool { return other(s.Mode) })...)
		decided = append(decided, slices.DeleteFunc(slices.Clone(r.Claims), func(c model.Claim) bool { return other(c.Mode) })...)
	}
	return all, decided
}

// modesOf lists the modes in which anything ran.
func modesOf(scenarios []model.Scenario) (modes []string) {
	for _, s := range scenarios {
		if s.Ran() && !slices.Contains(modes, s.Mode) {
			modes = append(modes, s.Mode)
		}
	}
	slices.SortFunc(modes, compareModes)
	return modes
}

func compareModes(a, b string) int {
	return slices.Index(dataplane.Names(), a) - slices.Index(dataplane.Names(), b)
}

func quoted(s model.Scenario) string { return fmt.Sprintf("`%s/%s`", s.Suite, s.ID) }

// inSeconds returns a metric of milliseconds, in seconds.
func inSeconds(s model.Scenario, key string) string {
	for _, m := range s.Measurements() {
		if m.Key() == key {
			return fmt.Sprintf("%.2f s", m.Value.Value/1000)
		}
	}
	return "-"
}

// failedOf returns a text like "178 of 21140".
func failedOf(s model.Scenario) string { return fmt.Sprintf("%d of %d", s.Failed(), s.Requests()) }
