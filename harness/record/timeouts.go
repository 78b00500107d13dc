package record

import (
	"time"
)

// Times of this package. None is normative: Kubernetes promises no time in which a Deployment is rolled out. A conformant
// cluster needs a fraction of each; on a slower one they are as many times as long as its pace says.
const (
	deployTimeout  = 2 * time.Minute // v1 up, agents up, every vantage reaches the app; pods and endpoints at rest
	rolloutTimeout = 5 * time.Minute // from the write until the last old pod is gone; of steps, from their begin to their end
	// collectTimeout bounds the end of all requests, and then the handing over of their hits: a second or two, over a forward
	// that works.
	collectTimeout = 30 * time.Second
	fetchTimeout   = 5 * time.Second // one answer of an agent to a question for hits
	processTimeout = 5 * time.Second // the client outside has said where it listens, and has ended
)

// Times in which nothing is to happen.
const (
	// startLead is how far ahead the agreed instant lies at which all lanes begin: time to tell every agent.
	startLead = 500 * time.Millisecond
	// rest is for how long no pod and no endpoint has changed when the rollout begins.
	rest = 2 * time.Second
	// blindAfter is for how long the API server of a slow cluster may say nothing before a watch counts as blind. It is not
	// shorter there, since the timeline adds how late it answered to the uncertainty of each lag.
	blindAfter = 5 * time.Second
)
