package namespace

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// Until pods have ended, and until namespaces are gone: Kubernetes does not promise in which time that is.
	cleanupTimeout = 2 * time.Minute
	// The age at which an object belongs to a run that died, unless its recording is of a longer disruption. Our own choice.
	expiry = time.Hour
	// How long a run holds a namespace without renewing its Lease; it tries four times meanwhile. Our own choice.
	leaseDuration = time.Minute
)
