package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// rewritten is how long a kube-proxy that starts may take from when it removed its rules until it wrote them: it lists its node, Services
// and EndpointSlices, where one list that fails is tried again after up to 1.6 s (defaultBackoffInit and its jitter, client-go,
// tools/cache/reflector.go, v0.37), and then writes at once, as if they had just changed.
const rewritten = 2*time.Second + followed

// mode: a kube-proxy that starts in another mode removes what it wrote before, and only then asks the API server for what it is to
// write. In between its node has no rules. Its twin is rules-lost, which holds that open.
func mode() []harness.Scenario {
	return []harness.Scenario{
		steady("a node whose kube-proxy changes between iptables and nftables loses new connections for up to 5 s, each way, and no others",
			drained(), disruption.Disruption{
				ID: "mode-switched", Does: "kube-proxy of worker runs in the other mode, and after 12 s in its own again",
				Nodes: onWorker, Lasts: 40 * time.Second, Do: disruption.ModeSwitched(disruption.Worker, 12*time.Second),
			}, append(onlyOn(evidence.Fresh),
				verdict.NoFailures().On(evidence.Reused), verdict.MaxOutage(rewritten).OnDisrupted())...),
	}
}
