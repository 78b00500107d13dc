// Package rollout asks what replacing the pods of a Deployment costs the clients of its Service.
package rollout

import (
	"slices"

	"rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		[]harness.Scenario{drainedRollingUpdate(), drainedLonger(), drainedLongest(), drainedAsMeasured(), oneByOne(), allAtOnce()}, // under load
		[]harness.Scenario{defaults(), strategies(), scalingSequence(), conditions(), rollback(), templateOnly(), historyLimit(),
			terminatingUncounted(), gradualFullSurge(), fullSurgeUnderQuota()},
		scaledDownLimits(),
		fenceposts(),
	)
}
