package harness

import (
	"slices"

	"example.com/rollcall/harness/usage"
)

// A Profile is how much of the suites a run records.
type Profile string

// Profiles, each with what the one before has.
const (
	Smoke Profile = "smoke" // both twins of a rolling update, in the first mode
	Core  Profile = "core"  // every seed claim in every mode, by the recording that shows it in the least time
	Full  Profile = "full"  // all there is
)

// ParseProfile reads the name of one.
func ParseProfile(name string) (Profile, error) {
	names := []string{string(Smoke), string(Core), string(Full)}
	if !slices.Contains(names, name) {
		return "", usage.New("profile "+name, "there is none of this name", "use smoke, core or full"+usage.Meant(name, names...))
	}
	return Profile(name), nil
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
