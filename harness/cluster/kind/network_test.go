package kind

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/cluster"
)

func TestNetworkOfFamilies(t *testing.T) {
	const v4, v6, node4, node6 = "10.244.1.0/24", "fd00:10:244:1::/64", "172.18.0.3", "fc00::3"
	for _, row := range []struct {
		sentence         string
		cidrs, addresses []string
		subnets, routes  []string
		to               []cluster.PodRoute
	}{
		{"IPv4", []string{v4}, []string{node4}, []string{v4}, []string{"0.0.0.0/0"}, []cluster.PodRoute{{PodCIDR: v4, Via: node4}}},
		{"IPv6", []string{v6}, []string{node6}, []string{v6}, []string{"::/0"}, []cluster.PodRoute{{PodCIDR: v6, Via: node6}}},
		{"both", []string{v4, v6}, []string{node6, node4}, []string{v4, v6}, []string{"0.0.0.0/0", "::/0"},
			[]cluster.PodRoute{{PodCIDR: v4, Via: node4}, {PodCIDR: v6, Via: node6}}},
		{"a node that has no address of the family yet", []string{v6}, []string{node4}, []string{v6}, []string{"::/0"}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			node := corev1.Node{Spec: corev1.NodeSpec{PodCIDRs: row.cidrs}}
			for _, address := range row.addresses {
				node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: address})
			}
			var list struct {
				Plugins []struct {
					IPAM struct {
						Ranges [][]struct{ Subnet string }
						Routes []struct{ Dst string }
					}
				}
			}
			if err := json.Unmarshal([]byte(conflist(node)), &list); err != nil {
				t.Fatal(err)
			}
			var subnets, routes []string
			for i, in := range list.Plugins[0].IPAM.Ranges {
				subnets, routes = append(subnets, in[0].Subnet), append(routes, list.Plugins[0].IPAM.Routes[i].Dst)
			}
			if diff := cmp.Diff(row.subnets, subnets) + cmp.Diff(row.routes, routes) + cmp.Diff(row.to, cluster.RoutesTo(node)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
