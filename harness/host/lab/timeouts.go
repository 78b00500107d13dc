package lab

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the machine may show no sign of life. Our own choice.
	silenceTimeout = 60 * time.Second
	// How long it may take to stop: it cleans running scenarios up.
	stopTimeout = 3 * time.Minute
	// How long the rest of the console's output may take after the machine is off. Our own choice.
	outputTimeout = 5 * time.Second
)
