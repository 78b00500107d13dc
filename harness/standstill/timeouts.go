package standstill

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the last lines of a container may take to be read. Our own choice: without them the wait has ended all the same.
	logTimeout = 5 * time.Second
)
