package disruption

import (
	"time"

	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// dns: a client that resolves the Service's name for every connection asks CoreDNS, whose pods serve on for 5 s after SIGTERM
// (lameduck in kubeadm's Corefile, cmd/kubeadm/app/phases/addons/dns/manifests.go, v1.37). Others do not notice.
func dns() []harness.Scenario {
	rolled := steady("replacing every pod of CoreDNS fails no request, nor that of a client that resolves the name each time",
		drained(), disruption.Disruption{
			ID: "dns-rolled", Does: "every pod of CoreDNS is replaced, as kubectl rollout restart does", Lasts: 20 * time.Second,
			Do: disruption.DNSRolled,
		}, verdict.NoFailures())
	gone := steady("deleting every pod of CoreDNS at once fails requests of clients that resolve the name, and of no others",
		drained(), disruption.Disruption{
			ID: "dns-gone", Does: "every pod of CoreDNS is deleted without a grace", Lasts: 10 * time.Second, Do: disruption.DNSGone,
		}, verdict.OnKind(evidence.Named, verdict.DamageSeen()), verdict.OnKind("fresh", verdict.NoFailures()),
		verdict.OnKind("reused", verdict.NoFailures()))
	rolled.Load.Also, gone.Load.Also = []string{evidence.Named}, []string{evidence.Named}
	return []harness.Scenario{rolled, gone}
}
