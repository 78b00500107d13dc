package staging

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long nodes may take to pull the images of a preflight and to start them: Kubernetes does not promise in which time a pod starts.
	imageTimeout = 50 * time.Second
	// How long one reply of a trial pod through a URL or a NodePort may take. Our own choice.
	answerTimeout = time.Second
	// How long another run may hold a namespace if --wait does not say: more than any scenario takes.
	defaultWait = 10 * time.Minute
)
