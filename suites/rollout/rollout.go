// Package rollout asks what replacing the pods of a Deployment costs the clients of its Service.
package rollout

import (
	"slices"

	"rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		[]harness.Scenario{drainedRollingUpdate(), drainedLonger(), drainedAsMeasured(), oneByOne(), allAtOnce(),
			storm()}, // under load
		[]harness.Scenario{defaults(), strategies(), scalingSequence(), conditions(), rollback(), templateOnly(), historyLimit(),
			terminatingUncounted(), gradualFullSurge(), fullSurgeUnderQuota()},
		harness.Core.Takes(scaledDownLimits(), "scaled-down-limits-percent", "scaled-down-limits-absolute"),
		harness.Core.Takes(fenceposts(), "fenceposts-four-quarter-quarter", "fenceposts-three-thirty-tenth", "fenceposts-ten-thirty-thirty"),
	)
}
