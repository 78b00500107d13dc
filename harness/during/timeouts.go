package during

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a recording may take if --deadline does not say. Our own choice.
	defaultDeadline = 12 * time.Hour
	// The longest --deadline. Our own choice: namespaces expire at twice that.
	longestDeadline = 30 * 24 * time.Hour
	// How long an API server may take to show a Service and its pods, before anything is created. Our own choice.
	lookTimeout = 15 * time.Second
	// How long the cluster may take to be whole after the maintenance: a node takes minutes to boot, and its pods wait for images.
	wholeLimit = 10 * time.Minute
	// How long the deletion of what changes created may take: as long as that of namespaces.
	removeTimeout = 2 * time.Minute
	// How long a command may take to end after SIGTERM, before it is killed. Processes that it left behind may print for as long after its
	// end. Our own choice.
	endedAfter = 10 * time.Second
	// How long a recorder may take to accept a connection. Our own choice.
	dialTimeout = 5 * time.Second
	// How long a client of the recorder may take to send a request, and to read an answer at the end. Our own choice.
	callTimeout = 10 * time.Second
)
