// Package rollout asks what replacing the pods of a Deployment costs the clients of its Service.
package rollout

import "rollcall/harness"

// All lists the scenarios of this suite.
func All() []harness.Scenario { return []harness.Scenario{drainedRollingUpdate(), defaults()} }
