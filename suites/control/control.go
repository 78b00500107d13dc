// Package control asks whether Rollcall sees damage at all. Each scenario here does something that must cost clients requests: if
// it sees no loss, that means that Rollcall is blind, not that the cluster is good.
package control

import "example.com/rollcall/harness"

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return []harness.Scenario{undrainedRollingUpdate(), unprobed(), undrainedStorm()}
}
