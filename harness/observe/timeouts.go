package observe

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long Follow waits for objects that may never come, since we may not read them. Our own choice.
	followTimeout = 10 * time.Second
	// How long every answer must be 401 before credentials count as expired. An exec plugin of the kubeconfig gets new ones at the first 401
	// (client-go v0.37.2, plugin/pkg/client/auth/exec, RoundTrip), and an API server that has just started accepts no OIDC token until its
	// provider has answered, which it asks every 10 s (apiserver v0.37.2, plugin/pkg/authenticator/token/oidc/oidc.go).
	refusedFor = 30 * time.Second
)
