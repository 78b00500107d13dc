package change

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a component may take to restart: 2 to 27 s on the reference host (make components).
	componentTimeout = time.Minute
	// How long the components of the image may take to be back on every node.
	restoreTimeout = 2 * componentTimeout
	// How long kube-proxies may take to restart: about 5 s for three on the reference host.
	proxyTimeout = 2 * time.Minute
	// How long the first measurements of metrics-server may take: about 20 s.
	metricsTimeout = 2 * time.Minute
)
