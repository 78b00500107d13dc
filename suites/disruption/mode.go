package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// rewritten is how long a kube-proxy that starts may take from removing its old rules until it writes new ones: it lists its node,
// Services and EndpointSlices, where a failed list is tried again after up to 1.6 s (defaultBackoffInit and its jitter, client-go,
// tools/cache/reflector.go, v0.37), and then writes at once, as after a change.
const rewritten = 2*time.Second + followed

// mode: a kube-proxy that starts in another mode removes its old rules, and only then asks the API server what to write. In between
// its node has no rules. Its twin is rules-lost, which keeps it like this for longer.
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
