// Package statusgap asks how far apart what the API server calls done and what clients see are.
package statusgap

import "rollcall/harness"

// All lists the scenarios of this suite.
func All() []harness.Scenario { return []harness.Scenario{statusTrap(), recreate()} }
