package harness

import "example.com/rollcall/harness/evidence"

// What scenarios may use beyond what every one does.
const (
	Autoscalers = "horizontalpodautoscalers"
	Quotas      = "resourcequotas"
	Slices      = "endpointslices" // written by hand
	AppObjects  = "own-objects"    // that the manifests of a user's app may have
	NodeRules   = evidence.NodeRules
)
