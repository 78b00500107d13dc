package kind

import (
	"context"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/cluster"
)

// Door returns the door of all NodePorts at a node's address or, where this host does not reach that address, of the one NodePort
// that is published on 127.0.0.1.
func (c *Cluster) Door() cluster.Door {
	if c.address != "" {
		return cluster.NodePorts(c.address)
	}
	return cluster.Door{NodePort: int32(c.spec.NodePort), OneService: true, Open: c.published}
}

func (c *Cluster) published(ctx context.Context, _ *corev1.Service) (string, error) {
	for _, node := range c.nodes {
		if address := node.Published(ctx, c.spec.NodePort); address != "" {
			return "http://" + address + "/", nil
		}
	}
	return "", fmt.Errorf("cluster: no node of %s publishes port %d", c.spec.Name, c.spec.NodePort)
}

// outside returns a phrase that says how clients outside reach the cluster.
func (c *Cluster) outside() string {
	if c.address == "" {
		return fmt.Sprintf("port %d, published on 127.0.0.1", c.spec.NodePort)
	}
	return "a node's address, " + c.address
}

// apiPort is the API server's port on a kind node (kind v0.33.0, pkg/cluster/internal/providers/common/constants.go).
const apiPort = "6443"

// reachable returns the address of the control plane's node if this host can connect to it: on Linux the engine's network is on
// this host, elsewhere it is in a virtual machine.
func reachable(ctx context.Context, nodes []node, ipv6 bool) (string, error) {
	var planes []node
	for _, n := range nodes {
		controls, err := n.ControlPlane()
		if err != nil {
			return "", err
		}
		if controls {
			planes = append(planes, n)
		}
	}
	if len(planes) != 1 {
		return "", nil
	}
	address, err := planes[0].Address(ipv6)
	if err != nil || address == "" {
		return "", err
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address, apiPort))
	if err != nil {
		return "", context.Cause(ctx) // not reachable, which is not an error
	}
	return address, conn.Close()
}
