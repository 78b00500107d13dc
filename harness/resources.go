package harness

import "example.com/rollcall/harness/evidence"

// Names for [Scenario].Uses.
const (
	Autoscalers = "horizontalpodautoscalers"
	Quotas      = "resourcequotas"
	Slices      = "endpointslices" // that the scenario writes
	AppObjects  = "own-objects"    // kinds that the manifests of a user's app may have
	NodeRules   = evidence.NodeRules
)
