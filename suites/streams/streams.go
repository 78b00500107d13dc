// Package streams asks what a rollout does to replies that take longer than a pod's end: slow requests, streams and RPCs.
package streams

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(harness.Core.Takes(slowRequests(), "slow-beyond-grace"), tokenStreams(), rpcs())
}
