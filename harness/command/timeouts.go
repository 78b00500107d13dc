package command

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long processes that a killed command left may hold its output open. Our own choice.
	outputTimeout = 5 * time.Second
)
