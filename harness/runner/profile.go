package runner

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness"
)

// parseProfile checks what was asked for. Empty is core; smoke in go test -short; and all there is where -run names scenarios.
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

// inProfile are the scenarios of a suite that the profile records.
func (r *Runner) inProfile(scenarios []harness.Scenario) []harness.Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios), func(s harness.Scenario) bool { return !s.In(r.profile) })
}
