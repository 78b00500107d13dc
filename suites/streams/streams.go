// Package streams asks what a rollout does to what takes longer than a request: slow requests, streams, RPCs, and connections that are kept
// or shared.
package streams

import (
	"slices"

	"example.com/rollcall/harness"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(slowRequests(), tokenStreams(), harness.Core.Takes(sharedConnections(), "shared-goaway", "shared-no-goaway"),
		webSockets(), longConnections(), rpcs())
}
