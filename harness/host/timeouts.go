package host

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a registry may take to say whether it has an image. Behind a firewall that drops packets the pull waits that long.
	registryTimeout = 8 * time.Second
	// How long the kernel may take to answer whether it has nftables. Our own choice.
	kernelTimeout = 2 * time.Second
)
