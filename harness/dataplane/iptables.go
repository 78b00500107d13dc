package dataplane

import "fmt"

// IPTables is kube-proxy's mode iptables. It checks its canary chains every 30 s, and writes the chain of Services with every sync
// (pkg/proxy/iptables/proxier.go, v1.37).
var IPTables = Plane{
	Name:      "iptables",
	Proxy:     KubeProxy,
	Supported: func(Kernel) (bool, string) { return true, "every Linux host kind runs on has it" },
	LoseRules: "iptables --table nat --flush KUBE-SERVICES",
	LoseService: func(ip string, _ int32) string {
		return fmt.Sprintf(`chain=$(iptables --table nat --list-rules KUBE-SERVICES | sed -n 's/.*-d %s\/32 .*-j \(KUBE-SVC-[A-Z0-9]*\).*/\1/p' | head -n 1)
test -n "$chain"
iptables --table nat --flush "$chain"`, ip)
	},
	LoseCanary:  "for table in mangle nat filter; do iptables --table $table --delete-chain KUBE-PROXY-CANARY; done",
	SkipRules:   "for i in 1 2 3 4 5; do iptables --table nat --insert KUBE-SERVICES --jump RETURN; sleep 0.1; done",
	UnskipRules: "while iptables --table nat --delete KUBE-SERVICES --jump RETURN; do :; done 2>/dev/null",
}
