// Package statusgap asks how far what the API server calls done is from what clients see.
package statusgap

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		[]harness.Scenario{statusTrap(), recreate(), statefulSet(), statefulSetOfOne(), migrationCall()}, // under load, or steps of their own
		harness.Core.Takes(availability(), "availability-after-min-ready", "availability-at-once"),
		statefulSets(), statefulSetUnavailable(), brokenSet(), daemonSet(), []harness.Scenario{statusFollows()},
	)
}
