package setup

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long dockerd may take to answer, or to take up a runtime: 2 to 3 s on the reference host.
	engineTimeout = 60 * time.Second
)
