package attached

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a cluster may take to say its version, nodes, service proxy and network. Our own choice.
	connectTimeout = 15 * time.Second
	// How long a NodePort that is reachable may take to answer: a node has its rules a second or two after the endpoint.
	nodePortTimeout = 10 * time.Second
	// How long a load balancer or an Ingress may take to notice that its Service has a ready pod. Our own choice.
	urlTimeout = 30 * time.Second
)
