package staging

import "time"

// imageTimeout bounds how long a preflight waits until nodes have pulled the images and started them. It is not normative: Kubernetes does
// not promise in which time a pod starts.
const imageTimeout = 50 * time.Second
