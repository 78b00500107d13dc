package cluster

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the API server and a kubelet may take to open a port-forward. Our own choice.
	forwardTimeout = 20 * time.Second
	// How long a port-forward may take to close. A tunnel that is still being dialled does not notice the close, and if the API server hangs
	// it lasts as long as that connection.
	closeTimeout = 5 * time.Second
)
