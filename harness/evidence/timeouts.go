package evidence

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the API server may take to answer before a watch counts as blind. Our own choice: ten times what a busy API server takes to
	// answer.
	APITimeout = 2 * time.Second
)
