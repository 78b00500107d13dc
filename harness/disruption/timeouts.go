package disruption

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// How long a drain may take if it has no limit of its own. Our own choice.
	drainTimeout = 2 * time.Minute
	// How long a script on a node may take beside the time that it sleeps, and until a pod runs that is never ready. Our own choice.
	scriptTimeout = time.Minute
	// How long a kubelet may take to end a program of the control plane, or to start it again. Our own choice.
	programTimeout = time.Minute
	// How long a step of an upgrade may take. Our own choice.
	stepLimit = 5 * time.Minute
	// How long kubeadm may take to upgrade a control plane. Our own choice: on 2 cores it takes minutes.
	applyLimit = 15 * time.Minute
	// How long a cluster may take to be whole again. It takes longest after the API server was away: up to 60 s until controllers and
	// kube-proxies ask again (client-go, tools/cache/reflector.go), and a lease of 15 s.
	wholeTimeout = 3 * time.Minute
)
