package harness

import (
	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/observe"
)

// Elsewhere is an app that is there already: it is asked and watched, and nothing else is done to it.
type Elsewhere struct {
	Service *corev1.Service // that pods ask, by its ClusterIP and at its first port; nil: they ask the control pod alone
	Pods    *observe.App    // behind the Service; nil: they may not be watched
	URL     string          // that the client outside the cluster asks; empty: there is none
}
