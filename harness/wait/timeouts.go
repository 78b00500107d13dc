package wait

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long to wait if nobody says: as long as a Deployment may make no progress (apps/v1, defaults.go, progressDeadlineSeconds).
	defaultTimeout = 10 * time.Minute
	// How long the API server may take to answer what is asked before the wait. Our own choice.
	askTimeout = 15 * time.Second
)
