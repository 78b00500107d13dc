package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// A PodRoute is a route to the pods of a node.
type PodRoute struct{ PodCIDR, Via string }

// RoutesTo returns the routes to the pods of a node, one per IP family, via the node's addresses.
func RoutesTo(node corev1.Node) (routes []PodRoute) {
	for _, cidr := range node.Spec.PodCIDRs {
		i := slices.IndexFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool {
			return a.Type == corev1.NodeInternalIP && IsIPv6(a.Address) == IsIPv6(cidr)
		})
		if i >= 0 {
			routes = append(routes, PodRoute{cidr, node.Status.Addresses[i].Address})
		}
	}
	return routes
}

// IsIPv6 reports whether an address or a CIDR is of IPv6.
func IsIPv6(address string) bool { return strings.Contains(address, ":") }
