package disruption

import (
	"time"

	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// mode: a kube-proxy that starts in another mode removes what it wrote before, and only then asks the API server for what it is to
// write. In between its node has no rules. Its twin is rules-lost, which holds that open.
func mode() []harness.Scenario {
	return []harness.Scenario{
		steady("a node whose kube-proxy changes between iptables and nftables loses new connections for a moment, both ways, and no other client's",
			drained(), disruption.Disruption{
				ID: "mode-switched", Does: "kube-proxy of worker runs in the other mode, and after 12 s in its own again",
				Nodes: []string{disruption.Worker}, Lasts: 40 * time.Second, Do: disruption.ModeSwitched(disruption.Worker, 12*time.Second),
			}, append(onlyOn(evidence.Fresh),
				verdict.NoFailures().On(evidence.Reused), verdict.MaxOutage(5*time.Second).OnDisrupted())...),
	}
}
