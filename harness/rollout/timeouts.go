package rollout

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long one of several rollouts in a row, a DaemonSet, or the way to the middle of a rollout may take. Our own choice, the same as
	// for any rollout of a recording.
	restartTimeout = 5 * time.Minute
)
