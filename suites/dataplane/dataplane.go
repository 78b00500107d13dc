// Package dataplane asks to which pods a node sends new connections, and what becomes of open ones: where the kube-proxy
// modes differ, what is expected differs.
package dataplane

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario { return []harness.Scenario{turns(), keptStream(), firstConnection()} }

// refused are the ways in which a connection is ended at once. Where this host does not reach a node's address, the container
// engine's proxy stands between them: it takes a connection before it opens one to the node, and drops it when that is refused.
// Whether its client sees a reset or an end depends on which of the two was quicker.
func refused() []evidence.Fault {
	return []evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed}
}
