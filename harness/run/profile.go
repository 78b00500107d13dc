package run

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness"
)

// parseProfile parses the option. Empty is full if -run names scenarios, else smoke with go test -short, else core.
func parseProfile(asked string) (harness.Profile, error) {
	if asked != "" {
		return harness.ParseProfile(asked)
	}
	if run := flag.Lookup("test.run"); run != nil && strings.Contains(run.Value.String(), "/") {
		return harness.Full, nil
	}
	if flag.Lookup("test.short") != nil && testing.Short() {
		return harness.Smoke, nil
	}
	return harness.Core, nil
}

// inProfile returns the scenarios that the profile includes.
func (p Plan) inProfile(scenarios []harness.Scenario) []harness.Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios), func(s harness.Scenario) bool { return !s.In(p.Profile) })
}
