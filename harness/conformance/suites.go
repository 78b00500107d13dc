package conformance

import (
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// Suites returns the scenarios of all suites, by name. app is the user's app, for the suite own, or nil.
type Suites func(app *userapp.App) map[string][]harness.Scenario

// selected returns the names of the suites that the option asks for, all if it is empty, and an error if there is no such suite.
func (all Suites) selected(asked string) ([]string, error) {
	have := slices.Sorted(maps.Keys(all(nil)))
	want := strings.FieldsFunc(asked, func(r rune) bool { return r == ',' || r == ' ' })
	if len(want) == 0 {
		return have, nil
	}
	var once []string
	for _, suite := range want {
		if !slices.Contains(have, suite) {
			return nil, usage.New("--suites="+suite, "it does not exist", "choose one that rollcall list shows, or own"+usage.Meant(suite, have...))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}
