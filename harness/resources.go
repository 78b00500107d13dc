package harness

import "example.com/rollcall/harness/evidence"

// Names for [Scenario].Uses.
const (
	Autoscalers = "horizontalpodautoscalers"
	Quotas      = "resourcequotas"
	Slices      = "endpointslices" // that the scenario writes
	AppObjects  = "own-objects"    // ConfigMaps and PodDisruptionBudgets beside the app
	NodeRules   = evidence.NodeRules
)
