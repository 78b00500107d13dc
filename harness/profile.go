package harness

import (
	"slices"

	"example.com/rollcall/harness/usage"
)

// A Profile says how many of the scenarios a run records.
type Profile string

// Profiles. Each includes the scenarios of the one before.
const (
	Smoke Profile = "smoke" // both twins of a rolling update, in the first mode
	Core  Profile = "core"  // every seed claim in every mode, by the recording that shows it in the least time
	Full  Profile = "full"  // every scenario
)

// Profiles returns the names of all profiles.
func Profiles() []string { return []string{string(Smoke), string(Core), string(Full)} }

// ParseProfile parses the name of a profile.
func ParseProfile(name string) (Profile, error) {
	if !slices.Contains(Profiles(), name) {
		return "", usage.New("--profile="+name, "it does not exist", "use smoke, core or full"+usage.Meant(name, Profiles()...))
	}
	return Profile(name), nil
}

// Takes sets p as the profile of the scenarios with these ids, in place, and returns the table.
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
