package cluster

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"rollcall/fixtures"
	"rollcall/harness/command"
)

// Outside is the URL that leads to a Service from this host: to its NodePort at the address of a node of ours, or, where this
// host does not reach that, on 127.0.0.1 to the NodePort of the spec; of a target what FindOutside found; empty if that is
// nothing.
func (c *Cluster) Outside(ctx context.Context, service *corev1.Service) (string, error) {
	host := c.node
	if c.target != nil {
		host = c.route.Host
	}
	if host != "" {
		return "http://" + net.JoinHostPort(host, fmt.Sprint(service.Spec.Ports[0].NodePort)) + "/", nil
	}
	if c.target != nil {
		return c.route.URL, nil
	}
	for _, node := range c.nodes {
		out, err := command.Run(ctx, "docker port %s %d/tcp", node, c.spec.NodePort)
		if address, _, _ := strings.Cut(out, "\n"); err == nil && address != "" {
			return "http://" + address + "/", nil
		}
	}
	return "", fmt.Errorf("cluster: no node of %s publishes port %d", c.Name, c.spec.NodePort)
}

// NodePort is what a Service asks for to be reached from outside: any one, that of the spec, or none.
func (c *Cluster) NodePort() int32 {
	switch {
	case c.target == nil && c.node == "":
		return int32(c.spec.NodePort)
	case c.target != nil && (c.route.URL != "" || c.route.None != "" || c.target.OutsideURL != ""):
		return 0
	default:
		return fixtures.AnyNodePort
	}
}

// OneWayIn reports whether one Service at a time can be reached from outside.
func (c *Cluster) OneWayIn() bool {
	if c.target != nil {
		return c.route.URL != "" || c.target.OutsideURL != ""
	}
	return c.node == ""
}

// WayIn says in words how a cluster of ours is reached from outside.
func (c *Cluster) WayIn() string {
	if c.node == "" {
		return fmt.Sprintf("port %d, published on 127.0.0.1", c.spec.NodePort)
	}
	return "a node's address, " + c.node
}

// apiPort is where the API server of a kind node listens (kind v0.33.0, pkg/cluster/internal/providers/common/constants.go).
const apiPort = "6443"

// reachable is the address of the control plane's node, if this host has a way to it: on Linux the engine's network is one of
// this host's own, elsewhere it is in a virtual machine.
func reachable(ctx context.Context, all []nodes.Node) (string, error) {
	planes, err := nodeutils.ControlPlaneNodes(all)
	if err != nil || len(planes) != 1 {
		return "", err
	}
	address, _, err := planes[0].IP()
	if err != nil {
		return "", err
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address, apiPort))
	if err != nil {
		return "", context.Cause(ctx) // there is no way
	}
	return address, conn.Close()
}

// Temporary reports whether the cluster is removed when it is closed.
func (c *Cluster) Temporary() bool { return c.held != nil && c.reaper != nil }
