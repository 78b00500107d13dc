package namespace

import "time"

// Times of this package. None is normative: Kubernetes does not promise in which time a namespace is gone. They only bound
// how long Rollcall waits before it reports an error.
const (
	cleanupTimeout = 2 * time.Minute // until pods have ended, and until namespaces are gone
	// expiry is the age at which a namespace belongs to a run that died.
	expiry = time.Hour
	// longestScenario is more than any scenario takes: only a dead run has an older pod in a preassigned namespace.
	longestScenario = 15 * time.Minute
)
