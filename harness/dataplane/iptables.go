package dataplane

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

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
	List: func(ipv6 bool) string {
		if ipv6 {
			return "ip6tables-save --table nat"
		}
		return "iptables-save --table nat"
	},
	Entry: func(listed string, service netip.AddrPort) Entry {
		found := chains{}
		for line := range strings.Lines(listed) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "-A" {
				found[words[1]] = append(found[words[1]], strings.TrimSpace(line))
			}
		}
		return found.entry("KUBE-SERVICES", regexp.MustCompile(fmt.Sprintf(`-d %s/\d+ .*-p tcp .*--dport %d .*-j (\S+)`,
			regexp.QuoteMeta(service.Addr().String()), service.Port())))
	},
}
