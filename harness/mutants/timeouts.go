package mutants

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a cluster may take to be whole after a mutant: a static pod that ended starts again after 10 s, and the next time after 20 s.
	healLimit = 90 * time.Second
)
