package harness

import "rollcall/harness/evidence"

// What scenarios may use beyond what every one does.
const (
	Autoscalers = "horizontalpodautoscalers"
	Quotas      = "resourcequotas"
	OwnObjects  = "own-objects" // that the manifests of an app of somebody else's may have
	NodeRules   = evidence.NodeRules
)
