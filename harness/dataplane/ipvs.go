package dataplane

import "fmt"

// IPVS is kube-proxy's mode ipvs. It has no scripts.
var IPVS = Plane{
	Name:  "ipvs",
	Proxy: KubeProxy,
	Supported: func(k Kernel) (bool, string) {
		if k.IPVS {
			return true, "the kernel has IP_VS"
		}
		return false, fmt.Sprintf("kernel %s has no IP_VS, neither built in nor as a module: make ipvs-lab runs it here", k.Release)
	},
}
