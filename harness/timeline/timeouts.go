package timeline

import "time"

// Time limits of others that a timeline knows, for `rollcall list --timeouts`.
const (
	// How long a probe of Rollcall's app may take, by its timeoutSeconds. A test of package harness compares them.
	ProbeTimeout = 5 * time.Second
)
