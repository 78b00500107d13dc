package harness

import (
	"cmp"
	"flag"
	"rollcall/harness/usage"
	"slices"
	"strings"
	"testing"
)

// A Profile is how much of the suites a run records.
type Profile string

// Profiles, each with what the one before has.
const (
	Smoke Profile = "smoke" // both twins of a rolling update, in the first mode
	Core  Profile = "core"  // every seed claim in every mode, by the recording that shows it in the least time
	Full  Profile = "full"  // all there is
)

// parseProfile checks what was asked for. Empty is core; smoke in go test -short; and all there is where -run names scenarios.
func parseProfile(asked string) (Profile, error) {
	switch p := Profile(asked); p {
	case "":
		if run := flag.Lookup("test.run"); run != nil && strings.Contains(run.Value.String(), "/") {
			return Full, nil
		}
		if flag.Lookup("test.short") != nil && testing.Short() {
			return Smoke, nil
		}
		return Core, nil
	case Smoke, Core, Full:
		return p, nil
	}
	return "", usage.New("profile "+asked, "there is none of this name", "use smoke, core or full")
}

// in reports whether a profile records the scenario.
func (s Scenario) in(p Profile) bool {
	switch belongs := cmp.Or(s.Profile, Full); p {
	case Smoke:
		return belongs == Smoke
	case Core:
		return belongs != Full
	}
	return true
}

// selected are the scenarios of a suite that the profile records.
func (r *Rig) selected(scenarios []Scenario) []Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios), func(s Scenario) bool { return !s.in(r.profile) })
}

// Takes has the profile record those of a table of scenarios that have these ids.
func (p Profile) Takes(table []Scenario, ids ...string) []Scenario {
	for _, id := range ids {
		i := slices.IndexFunc(table, func(s Scenario) bool { return s.ID == id })
		if i < 0 {
			panic("profile " + string(p) + ": no scenario " + id)
		}
		table[i].Profile = p
	}
	return table
}
