// Package autoscale asks what applying a manifest does to a Deployment whose size an autoscaler has set. But for two
// scenario the cluster serves no metrics: the autoscaler keeps its bounds only, and the size it would have arrived at
// under load is written as it would write it, through the scale subresource.
package autoscale

import (
	"slices"

	"rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	all := slices.Concat(
		harness.Core.Takes(reapplies(), "reapply-below-the-minimum", "reapply-at-the-minimum", "reapply-the-same-size"),
		harness.Core.Takes(manifests(), "manifest-never-with-replicas"),
		[]harness.Scenario{imageOnly(), serverSideConflict()},
		underLoad(),
	)
	for i := range all {
		all[i].Uses = []string{harness.Autoscalers}
	}
	return all
}
