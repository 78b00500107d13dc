package namespace

import "time"

// Times of this package. None is normative: Kubernetes promises no time in which a namespace is gone. They only bound how
// long Rollcall waits before it says so.
const (
	cleanupTimeout = 2 * time.Minute // pods ended, and namespaces gone
	// expiry is after which a namespace that is still there belongs to a run that died.
	expiry = time.Hour
	// longestScenario is longer than any scenario lasts: a pod in a preassigned namespace is older only if its run died.
	longestScenario = 15 * time.Minute
)
