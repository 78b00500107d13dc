//go:build linux

package main

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a kube-proxy that restarts may take to say its mode. Our own choice.
	proxyTimeout = 10 * time.Second
	// How long one reply of kube-proxy may take. Our own choice.
	replyTimeout = 2 * time.Second
	// How long a part of an answer of the kernel may take, which it sends at once. Our own choice.
	answerTime = 5 * time.Second
)
