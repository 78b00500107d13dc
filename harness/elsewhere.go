package harness

import corev1 "k8s.io/api/core/v1"

// Elsewhere is an app that is there already and stays as it is: it is asked, and nothing else is done to it.
type Elsewhere struct {
	Service *corev1.Service // that pods ask, by its ClusterIP and at its first port; nil: they ask the control pod alone
	URL     string          // that the client outside the cluster asks; empty: there is none
}
