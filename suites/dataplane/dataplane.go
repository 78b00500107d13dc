// Package dataplane asks to which pods a node sends new connections, and what happens to open ones. Expectations differ where the
// kube-proxy modes do.
package dataplane

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario { return []harness.Scenario{turns(), keptStream(), firstConnection()} }

// refused returns the faults of a connection that is refused at once. Where this host does not reach a node's address, the
// container engine's proxy is in between: it accepts a connection before it opens one to the node, and drops it if the node
// refuses. Whether the client sees a reset or an end depends on which of the two was quicker.
func refused() []evidence.Fault {
	return []evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed}
}
