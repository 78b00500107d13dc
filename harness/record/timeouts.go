package record

import (
	"time"
)

// Time limits of this package. None is normative: Kubernetes promises no time in which a Deployment is rolled out. A conformant
// cluster needs a fraction of each; on a slow cluster they are multiplied by its pace.
const (
	deployTimeout  = 2 * time.Minute // v1 up, agents up, every vantage reaches the app; pods and endpoints at rest
	rolloutTimeout = 5 * time.Minute // from the write until the last old pod is gone; for steps, from their beginning to their end
	// collectTimeout limits the wait for the end of all requests, beside their own timeout, and then for all hits: a second or two over a
	// port-forward that works.
	collectTimeout = 30 * time.Second
	fetchTimeout   = 5 * time.Second // one answer of an agent
	processTimeout = 5 * time.Second // for the client outside to end
)

// Times in which nothing is to happen.
const (
	// rest is how long no pod and no endpoint must have changed before the rollout begins.
	rest = 2 * time.Second
	// blindAfter is how long the API server of a slow cluster may take to answer before a watch counts as blind. It need not be
	// shorter, since the timeline adds the delay of each answer to the uncertainty of each lag.
	blindAfter = 5 * time.Second
)
