package run

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long before the deadline of `go test -timeout` a run ends, so that clusters are removed before the panic.
	deadlineReserve = time.Minute
)
