package kind

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"

	"rollcall/fixtures"
)

// OutsideURL leads to a Service from this host: to its NodePort at the address of a node or, where this host does not reach
// that, to the NodePort of the spec on 127.0.0.1.
func (c *Cluster) OutsideURL(ctx context.Context, service *corev1.Service) (string, error) {
	if c.address != "" {
		return "http://" + net.JoinHostPort(c.address, fmt.Sprint(service.Spec.Ports[0].NodePort)) + "/", nil
	}
	for _, node := range c.nodes {
		if address := node.Published(ctx, c.spec.NodePort); address != "" {
			return "http://" + address + "/", nil
		}
	}
	return "", fmt.Errorf("cluster: no node of %s publishes port %d", c.spec.Name, c.spec.NodePort)
}

// GivenURL is empty: nobody names one.
func (c *Cluster) GivenURL() string { return "" }

// NodePort is any one, or that of the spec where this host reaches no node.
func (c *Cluster) NodePort() int32 {
	if c.OneServiceOutside() {
		return int32(c.spec.NodePort)
	}
	return fixtures.AnyNodePort
}

// OneServiceOutside reports whether one published port is the way in.
func (c *Cluster) OneServiceOutside() bool { return c.address == "" }

// outside says in words how the cluster is reached from outside.
func (c *Cluster) outside() string {
	if c.OneServiceOutside() {
		return fmt.Sprintf("port %d, published on 127.0.0.1", c.spec.NodePort)
	}
	return "a node's address, " + c.address
}

// apiPort is where the API server of a kind node listens (kind v0.33.0, pkg/cluster/internal/providers/common/constants.go).
const apiPort = "6443"

// reachable is the address of the control plane's node, if this host has a way to it: on Linux the engine's network is one of
// this host's own, elsewhere it is in a virtual machine.
func reachable(ctx context.Context, nodes []node) (string, error) {
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
	address, err := planes[0].Address()
	if err != nil || address == "" {
		return "", err
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address, apiPort))
	if err != nil {
		return "", context.Cause(ctx) // there is no way
	}
	return address, conn.Close()
}
