// Package autoscale asks what applying a manifest does to a Deployment whose size an autoscaler has set. Except in three scenarios
// the autoscaler has no metrics: it only keeps its bounds, and the steps write the size that it would have arrived at as it would
// write it, through the scale subresource.
package autoscale

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	all := slices.Concat(
		harness.Core.Takes(reapplies(), "reapply-below-the-minimum", "reapply-at-the-minimum", "reapply-the-same-size-by-default"),
		harness.Core.Takes(manifests(), "manifest-never-with-replicas"),
		[]harness.Scenario{imageOnly(), serverSideConflict(), byMetric(), shrink(), underLoad()},
		outage(), grown(),
	)
	for i := range all {
		all[i].Uses = append(all[i].Uses, harness.Autoscalers)
	}
	return all
}
