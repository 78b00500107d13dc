package staging

import "time"

// Times of this package. None is normative: Kubernetes does not promise in which time a pod starts. They bound how long a
// preflight waits before it returns an error.
const (
	imageTimeout = 50 * time.Second // until nodes have pulled the images and started them
	appTimeout   = 2 * time.Minute  // until a user's app is ready
	replyTimeout = 30 * time.Second // until a user's app that is ready answers, possibly through a load balancer or an Ingress
)
