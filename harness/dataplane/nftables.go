package dataplane

import "fmt"

// NFTables is kube-proxy's mode nftables, which has no canary.
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
}
