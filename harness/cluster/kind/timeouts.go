package kind

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the creation of a cluster may take: about 30 s on the reference host.
	createTimeout = 10 * time.Minute
	// How long a kept cluster may take to be used again: about 5 s on the reference host.
	reuseTimeout = 90 * time.Second
	// How long a cluster may take to become ready: about 5 s after the nodes joined on the reference host.
	readyTimeout = 3 * time.Minute
	// How long a node's API server may take to accept a connection from this host. Our own choice.
	dialTimeout = time.Second
)
