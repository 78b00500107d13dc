package manifest

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long the fetch of a manifest by its URL may take. Our own choice.
	fetchLimit = 30 * time.Second
)
