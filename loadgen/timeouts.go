package loadgen

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a request may take if the [Config] has no timeout. Our own choice: a SYN that is lost once, and sent again after 1 s, is no
	// failure.
	DefaultTimeout = 2 * time.Second
	// How long the first reply of a user's app is awaited: as long as many clients wait for any.
	Patience = 30 * time.Second
	// How long an agent keeps up the load while nobody fetches its hits, if the [Config] does not say: the run may be gone. It may also be
	// that the API server is away, through which they are fetched; while it is upgraded, for about a minute.
	DefaultUnfetched = 5 * time.Minute
	// How long it does so with requests that may change something.
	WritesUnfetched = time.Minute
	// How long the client of a WebSocket that it closes waits for the server to do so. Our own choice.
	closeTimeout = time.Second
	// How long API calls under way may still take when an agent ends. Our own choice.
	serveGrace = 2 * time.Second
	// How long a caller may take to send an agent the header of a request. Our own choice.
	headerTimeout = 10 * time.Second
)
