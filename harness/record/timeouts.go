package record

import "time"

// Time limits of this package, for `rollcall list --timeouts`.
const (
	// Until v1 and the agents are up and every vantage reaches the app, and until pods and endpoints rest. A conformant cluster needs a
	// fraction; on a slow cluster it is multiplied by the pace.
	deployTimeout = 2 * time.Minute
	// From the write until the last old pod is gone; for steps, from their beginning to their end. Kubernetes promises no time; on a slow
	// cluster it is multiplied by the pace.
	rolloutTimeout = 5 * time.Minute
	// Until all requests have ended, beside their own timeout, and then for all hits: a second or two over a port-forward that works.
	collectTimeout = 30 * time.Second
	// How long one answer of an agent may take. Our own choice.
	fetchTimeout = 5 * time.Second
	// How long the client outside may take to end. Our own choice.
	processTimeout = 5 * time.Second
	// How long a node may take to report one of our connections: observers write every 250 ms (noderules, flowsEvery), and the observer and
	// the reader may each wait for a processor for a second.
	flowTimeout = 2 * time.Second
	// How long the first reply of an app that runs already is awaited: as long as a kube-proxy that could not write its rules waits before
	// it tries again (retryInterval of its runner, pkg/proxy/iptables/proxier.go, v1.36: syncPeriod, which is 30 s,
	// pkg/proxy/apis/config/v1alpha1/defaults.go).
	answerLimit = 30 * time.Second
	// How long nodes' rules may take to route to pods that are ready: kube-proxy writes them once a second at most (minSyncPeriod,
	// KubeProxyConfiguration v1alpha1), and it and the observer may each wait for a processor for a second.
	rulesTimeout = 3 * time.Second
	// How long diagnostics may be collected. Our own choice.
	diagnosticsTimeout = 30 * time.Second
	// How long the API server of a slow cluster may take to answer before a watch counts as blind. It need not be shorter, since the
	// timeline adds the delay of each answer to the uncertainty of each lag.
	blindAfter = 5 * time.Second
	// How long no pod and no endpoint must have changed before the rollout begins. Our own choice.
	rest = 2 * time.Second
)
