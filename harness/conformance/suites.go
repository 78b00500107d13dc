package conformance

import (
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// Suites are all there are, by name; some are about a user's app, which is nil where there is none.
type Suites func(app *userapp.App) map[string][]harness.Scenario

// selected checks the suites asked for against those there are; none asked for is all.
func (all Suites) selected(asked string) ([]string, error) {
	have := slices.Sorted(maps.Keys(all(nil)))
	want := strings.FieldsFunc(asked, func(r rune) bool { return r == ',' || r == ' ' })
	if len(want) == 0 {
		return have, nil
	}
	var once []string
	for _, suite := range want {
		if !slices.Contains(have, suite) {
			return nil, usage.New("suite "+suite, "there is none of this name", "use some of "+strings.Join(have, ", ")+usage.Meant(suite, have...))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}
