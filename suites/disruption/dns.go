package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// dns: a client that resolves the Service's name for every connection asks CoreDNS, whose pods still serve for 5 s after SIGTERM
// (lameduck in kubeadm's Corefile, cmd/kubeadm/app/phases/addons/dns/manifests.go, v1.37). Other clients notice nothing.
//
// A node tracks UDP by ports. A query from a port that an earlier query used goes to the pod of that query, even if no rule routes
// there any more, until kube-proxy deletes the entry, up to a second after the pod ended. Of 28,000 ports some 200 had an entry for
// one pod, and there are two queries every 40 ms: a pod that ends loses less than one of a client's 450 queries, and two pods lose
// more than 4 (1 %) once in a thousand recordings.
func dns() []harness.Scenario {
	return resolving(
		steady("replacing every pod of CoreDNS fails no request but for one in a hundred of a client that resolves the name each time",
			drained(), disruption.Disruption{
				ID: "dns-rolled", Does: "every pod of CoreDNS is replaced, as kubectl rollout restart does", Lasts: 20 * time.Second,
				Do: disruption.DNSRolled,
			}, verdict.NoFailures().OnKind("fresh"), verdict.NoFailures().OnKind("reused"),
			verdict.MaxFailedShare(10).OnKind(evidence.Named)),
		steady("deleting every pod of CoreDNS at once fails requests of clients that resolve the name, and of no others",
			drained(), disruption.Disruption{
				ID: "dns-gone", Does: "every pod of CoreDNS is deleted without a grace", Lasts: 10 * time.Second, Do: disruption.DNSGone,
			}, verdict.DamageSeen().OnKind(evidence.Named), verdict.NoFailures().OnKind("fresh"),
			verdict.NoFailures().OnKind("reused")),
	)
}

// resolving adds clients that resolve the Service's name for every connection.
func resolving(scenarios ...harness.Scenario) []harness.Scenario {
	for i, s := range scenarios {
		load := s.UnderLoad()
		load.Also = []string{evidence.Named}
		scenarios[i].Kind = load
	}
	return scenarios
}
