// Package streams asks what a rollout does to what lasts longer than a pod's end: slow requests, streams and shared connections.
package streams

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(harness.Core.Takes(slowRequests(), "slow-beyond-grace"), tokenStreams(), sharedConnections())
}
