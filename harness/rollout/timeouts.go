package rollout

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long one of several rollouts in a row, a DaemonSet, or the way to the middle of a rollout may take. Our own choice, the same as
	// for any rollout of a recording.
	restartTimeout = 5 * time.Minute
	// How long a test of a version waits for a good reply. Nodes' rules for its Service take up to 1.5 s (harness.UsualRuleLag). Our own
	// choice.
	testTimeout = 10 * time.Second
)
