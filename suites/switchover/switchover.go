// Package switchover asks what it costs clients when all pods are replaced at once.
package switchover

import "rollcall/harness"

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return []harness.Scenario{deleteAndApply(), deleteAndApplyDrained()}
}
