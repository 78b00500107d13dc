package try

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// Until what is deleted is gone: a namespace's controller begins after 5 s, and pods have 30 s to end.
	cleanTimeout = 2 * time.Minute
	// How long a rollout may make no progress if its manifest does not say (apps/v1, defaults.go, progressDeadlineSeconds).
	progressDeadline = 10 * time.Minute
)
