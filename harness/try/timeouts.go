package try

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// Until what is deleted is gone: a namespace's controller begins after 5 s, and pods have 30 s to end.
	cleanTimeout = 2 * time.Minute
	// Until a hook of Helm or Argo CD has ended, if it has no activeDeadlineSeconds: Helm's default (pkg/cmd, helm install --timeout, v4.3).
	hookTimeout = 5 * time.Minute
	// How long a rollout may make no progress if its manifest does not say (apps/v1, defaults.go, progressDeadlineSeconds).
	progressDeadline = 10 * time.Minute
	// Until the kind of a new CustomResourceDefinition is served, for which API servers in several instances wait 5 s
	// (apiextensions-apiserver, customresource_handler.go); Kubernetes' own tests give it 30 s (test/integration/fixtures/resources.go).
	servedTimeout = 30 * time.Second
	// Until a webhook whose pods are ready answers: one call may take 30 s (admissionregistration, validation.go, timeoutSeconds).
	webhookTimeout = 30 * time.Second
)
