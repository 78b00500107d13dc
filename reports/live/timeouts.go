package live

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a browser may take to send a request. Our own choice.
	readTimeout = 10 * time.Second
	// How long it may take to read a page. Our own choice.
	writeTimeout = time.Minute
	// How long its connection may be idle. Our own choice.
	idleTimeout = time.Minute
)
