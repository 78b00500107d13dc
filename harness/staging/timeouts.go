package staging

import "time"

// Times of this package. None is normative: Kubernetes promises no time in which a pod starts. They bound how long a
// preflight waits before it refuses.
const (
	imageTimeout = 50 * time.Second // nodes have pulled the images and started them
	appTimeout   = 2 * time.Minute  // a user's app is ready
	replyTimeout = 30 * time.Second // a user's app that is ready answers, also by way of what leads to its Service from outside
)
