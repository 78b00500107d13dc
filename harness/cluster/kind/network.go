package kind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// conflist returns the CNI configuration of one node: a veth pair per pod with an address of each of the node's spec.podCIDRs, one
// per IP family, and hostPort support. Between nodes there are plain routes. The record of taken addresses is not in /run, so it
// survives a reboot: else new pods would get addresses that endpoints still name.
func conflist(node corev1.Node) string {
	var ranges, routes []string
	for _, cidr := range node.Spec.PodCIDRs {
		ranges = append(ranges, fmt.Sprintf(`[{"subnet": %q}]`, cidr))
		all := "0.0.0.0/0"
		if cluster.IsIPv6(cidr) {
			all = "::/0"
		}
		routes = append(routes, fmt.Sprintf(`{"dst": %q}`, all))
	}
	return fmt.Sprintf(`{
  "cniVersion": "0.4.0",
  "name": "rollcall",
  "plugins": [
    {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/var/lib/cni",
      "ranges": [%s], "routes": [%s]}},
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`, strings.Join(ranges, ", "), strings.Join(routes, ", "))
}

// awaitCredentials makes the clients as soon as there is a kubeconfig, while kind is still making the cluster.
func (c *Cluster) awaitCredentials(ctx context.Context) error {
	var kubeconfig []byte
	// Only once a second, because each look takes processor time from kubeadm.
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		var notYet error
		kubeconfig, notYet = c.engine.Kubeconfig(c.spec.Name)
		return notYet == nil, nil
	})
	if err != nil {
		return err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return err
	}
	return c.setClients(config)
}

// installNetwork writes the conflist of every node as soon as the node has a pod CIDR of each IP family and its proxy has
// written its rules, and at the end all routes. Before those rules a pod's first packets to a Service are lost: CoreDNS then
// waits 30 s.
func (c *Cluster) installNetwork(ctx context.Context, count int) error {
	var group errgroup.Group
	have := map[string]corev1.Node{}
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		list, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, nil // the API server is still coming up
		}
		for _, node := range list.Items {
			addressed := len(node.Spec.PodCIDRs) > 0 && len(cluster.RoutesTo(node)) == len(node.Spec.PodCIDRs)
			if _, seen := have[node.Name]; !seen && addressed {
				have[node.Name] = node
				group.Go(func() error { return c.writeConflist(ctx, node) })
			}
		}
		return len(have) == count, nil
	})
	for _, node := range have {
		group.Go(func() error { return c.writeRoutes(ctx, node, have) })
	}
	return errors.Join(err, group.Wait())
}

// writeConflist waits inside the node until its proxy has written its rules, and then writes the node's conflist.
func (c *Cluster) writeConflist(ctx context.Context, node corev1.Node) error {
	script := "until " + c.Plane().Proxy.Synced + `; do sleep 0.2; done
cat >/etc/cni/net.d/.rollcall && mv /etc/cni/net.d/.rollcall /etc/cni/net.d/10-rollcall.conflist`
	if _, err := c.exec(ctx, node.Name, script, conflist(node)); err != nil {
		return fmt.Errorf("of %s: %w", node.Name, err)
	}
	return nil
}

// routesUnit installs a systemd unit that sets a node's routes to the other nodes' pods at every boot, before the kubelet starts.
const routesUnit = `cat >/etc/systemd/system/` + routesName + ` <<'EOF'
[Unit]
Description=Routes to the pods of other nodes
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
%s[Install]
WantedBy=multi-user.target
EOF
systemctl daemon-reload
systemctl enable --quiet ` + routesName + `
systemctl restart ` + routesName + `
`

const routesName = "rollcall-routes.service"

func (c *Cluster) writeRoutes(ctx context.Context, node corev1.Node, all map[string]corev1.Node) error {
	var routes strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if other := all[name]; name != node.Name {
			to := cluster.RoutesTo(other)
			if len(to) < len(other.Spec.PodCIDRs) {
				return fmt.Errorf("routes of %s: %s has no address of a family of its pods", node.Name, name)
			}
			for _, route := range to {
				fmt.Fprintf(&routes, "ExecStart=ip route replace %s via %s\n", route.PodCIDR, route.Via)
			}
		}
	}
	if _, err := c.Exec(ctx, node.Name, fmt.Sprintf(routesUnit, routes.String())); err != nil {
		return fmt.Errorf("routes of %s: %w", node.Name, err)
	}
	return nil
}

// RestoreRoutes writes every node's routes to the others again, if this package wrote them.
func (c *Cluster) RestoreRoutes(ctx context.Context) error {
	list, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	all := map[string]corev1.Node{}
	for _, node := range list.Items {
		ours, err := c.Exec(ctx, node.Name, "ls /etc/systemd/system/"+routesName+" 2>/dev/null || true")
		if err != nil || ours == "" {
			return err
		}
		all[node.Name] = node
	}
	for _, node := range all {
		err = errors.Join(err, c.writeRoutes(ctx, node, all))
	}
	return err
}
