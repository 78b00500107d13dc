// Package switchover asks what it costs clients when all pods are replaced at once, or none are.
package switchover

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(harness.Core.Takes(blueGreen(), "blue-green-back"), []harness.Scenario{canary()},
		harness.Core.Takes(deleteAndApply(), "delete-and-apply", "delete-and-apply-drained"),
		[]harness.Scenario{deleteAndApplyHistory(), orphaned()}, deleted())
}
