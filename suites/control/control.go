// Package control asks whether this suite can see damage at all. Each scenario here does something
// that must cost clients requests; one that sees nothing makes the suite blind, not the cluster good.
package control

import "example.com/rollcall/harness"

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return []harness.Scenario{undrainedRollingUpdate(), unprobed(), undrainedStorm()}
}
