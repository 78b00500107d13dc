package namespace

import "time"

// Times of this package. None is normative: Kubernetes does not promise in which time a namespace is gone. They only bound
// how long Rollcall waits before it reports an error.
const (
	cleanupTimeout = 2 * time.Minute // until pods have ended, and until namespaces are gone
	// expiry is the age at which an object belongs to a run that died, unless its recording is of a longer disruption.
	expiry = time.Hour

	// leaseDuration is how long a run holds a namespace without renewing its Lease; it tries four times meanwhile.
	leaseDuration = time.Minute
	renewEvery    = leaseDuration / 4
	lookEvery     = 2 * time.Second  // at a Lease of another run
	sayEvery      = 30 * time.Second // that it is waited for
)
