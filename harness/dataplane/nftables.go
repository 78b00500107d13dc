package dataplane

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// NFTables is kube-proxy's mode nftables, which has no canary. The chain of a Service has its endpoints, as the values of a map if there
// are several; up to v1.35, and with session affinity, it leads to a chain of each (pkg/proxy/nftables/proxier.go, v1.35.3, v1.36.1 and
// v1.37.2).
var NFTables = Plane{
	Name:  "nftables",
	Proxy: KubeProxy,
	Supported: func(k Kernel) (bool, string) {
		if k.NFTables {
			return true, "the kernel has nf_tables"
		}
		return false, fmt.Sprintf("kernel %s has no nf_tables", k.Release)
	},
	LoseRules: "nft delete table ip kube-proxy",
	// The element can be deleted without its verdict.
	LoseService: func(ip string, port int32) string {
		return fmt.Sprintf("nft delete element ip kube-proxy service-ips '{ %s . tcp . %d }'", ip, port)
	},
	SkipRules:   "handle=$(nft --echo --handle insert rule ip kube-proxy services return | sed -n 's/.*# handle //p'); sleep 0.5",
	UnskipRules: "nft delete rule ip kube-proxy services handle $handle",
	CleanUp:     "for family in ip ip6; do nft delete table $family kube-proxy || true; done 2>/dev/null",
	List: func(ipv6 bool) string {
		if ipv6 {
			return "nft list table ip6 kube-proxy"
		}
		return "nft list table ip kube-proxy"
	},
	// The elements of a map are listed like the rules of a chain.
	Entry: func(listed string, service netip.AddrPort) Entry {
		found, name := chains{}, ""
		for line := range strings.Lines(listed) {
			switch words := strings.Fields(line); {
			case strings.HasSuffix(strings.TrimSpace(line), " {") && len(words) == 3: // such as chain services {
				name = words[1]
			case len(words) > 1:
				found[name] = append(found[name], strings.TrimSpace(line))
			}
		}
		return found.entry("service-ips", regexp.MustCompile(fmt.Sprintf(`(?:^|[\s{])%s \. tcp \. %d : goto ([^\s,}]+)`,
			regexp.QuoteMeta(service.Addr().String()), service.Port())))
	},
}
