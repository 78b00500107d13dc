package kind

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/sharedfile"
)

// A Cluster is a kind cluster that is open until Close. Until then no other process on this host uses it.
type Cluster struct {
	cluster.API
	engine     engine
	spec       Spec
	state      string    // folder
	kubernetes string    // version
	out        io.Writer // of Open, for the progress of changes that take long
	nodes      []node
	held       *sharedfile.Lock // keeps other processes from using it
	reaper     reaper           // nil when the cluster is kept
	ipv6       bool             // it is IPv6 only
	address    string           // of a node that this host reaches; empty if it reaches none
	condemned  atomic.Pointer[string]
}

var _ cluster.Changeable = (*Cluster)(nil)

// Kubeconfig returns the path of a kubeconfig by which other programs reach the cluster.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.state, "kubeconfig") }

// connect makes the clients from the kubeconfig.
func (c *Cluster) connect(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		return err
	}
	if c.nodes, err = c.engine.Nodes(c.spec.Name); err != nil {
		return err
	}
	if c.address, err = reachable(ctx, c.nodes, c.ipv6); err != nil {
		return err
	}
	if c.address != "" { // bypasses the engine's proxy for published ports
		config.Host = "https://" + net.JoinHostPort(c.address, apiPort)
	}
	config.QPS = -1 // nobody else uses the cluster: client-side throttling would only delay what we time
	return c.setClients(config)
}

// setClients makes the clients. It ignores HTTPS_PROXY and the like: such a proxy knows no addresses of this host's own networks.
func (c *Cluster) setClients(config *rest.Config) error {
	config.Proxy = http.ProxyURL(nil)
	client, err := c.engine.Client(config)
	c.API = cluster.NewAPI(config, client)
	return err
}

// readVersion reads the version of the nodes.
func (c *Cluster) readVersion(ctx context.Context) error {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		c.kubernetes = node.Status.NodeInfo.KubeletVersion
	}
	return nil
}

// Name returns the name of the spec.
func (c *Cluster) Name() string { return c.spec.Name }

// Mode returns the name of the nodes' data plane.
func (c *Cluster) Mode() string { return c.spec.Mode }

// Plane returns the nodes' data plane.
func (c *Cluster) Plane() dataplane.Plane { return dataplane.Of(c.spec.Mode) }

// Kubernetes returns the version of the nodes.
func (c *Cluster) Kubernetes() string { return c.kubernetes }

// Attached returns false: the cluster is ours.
func (c *Cluster) Attached() bool { return false }

// NodeName returns kind's name of the node.
func (c *Cluster) NodeName(name string) string { return c.Name() + "-" + name }

// Features returns nil: a kind cluster has all features.
func (c *Cluster) Features() []evidence.Feature { return nil }

// CannotObserve returns an empty string: the nodes are ours.
func (c *Cluster) CannotObserve() string { return "" }

// CannotListen returns an empty string: the nodes are ours.
func (c *Cluster) CannotListen() string { return "" }

// Temporary reports whether the cluster is removed when it is closed.
func (c *Cluster) Temporary() bool { return c.reaper != nil }

// Output returns the writer given to Open.
func (c *Cluster) Output() io.Writer { return c.out }

// Nodes returns the names of all nodes.
func (c *Cluster) Nodes() []string {
	var names []string
	for _, node := range c.nodes {
		names = append(names, node.String())
	}
	return names
}

// Workers returns the names of all nodes except the control plane's, sorted.
func (c *Cluster) Workers(ctx context.Context) ([]string, error) {
	workers := metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"}
	list, err := c.Client().CoreV1().Nodes().List(ctx, workers)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	var names []string
	for _, node := range list.Items {
		names = append(names, node.Name)
	}
	slices.Sort(names)
	return names, nil
}

// Exec runs a shell script in a node's container and returns what it prints.
func (c *Cluster) Exec(ctx context.Context, node, script string) (string, error) {
	return c.exec(ctx, node, script, "")
}

// exec runs a shell script in a node's container, with standard input.
func (c *Cluster) exec(ctx context.Context, node, script, stdin string) (string, error) {
	n, err := c.findNode(node)
	if err != nil {
		return "", err
	}
	return n.Exec(ctx, script, stdin)
}

// WriteFile writes an executable file in a node's container.
func (c *Cluster) WriteFile(ctx context.Context, node, path string, content []byte) error {
	_, err := c.exec(ctx, node, fmt.Sprintf("cat > %[1]s && chmod 755 %[1]s", path), string(content))
	return err
}

// CopyFile copies a file of this host into a node's container.
func (c *Cluster) CopyFile(ctx context.Context, node, file, path string) error {
	n, err := c.findNode(node)
	if err != nil {
		return err
	}
	return n.CopyFile(ctx, file, path)
}

// findNode asks the engine for a node, instead of reading c.nodes: kind may still be making the cluster.
func (c *Cluster) findNode(name string) (node, error) {
	nodes, err := c.engine.Nodes(c.spec.Name)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(nodes, func(n node) bool { return n.String() == name })
	if i < 0 {
		return nil, fmt.Errorf("the container of node %s is gone", name)
	}
	return nodes[i], nil
}

// Describe returns what the run folder records about the cluster.
func (c *Cluster) Describe(ctx context.Context) (evidence.Cluster, error) {
	is := evidence.Cluster{Name: c.spec.Name, Mode: c.spec.Mode, Provider: "kind", Outside: c.outside()}
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return is, fmt.Errorf("cluster: describe %s: %w", c.spec.Name, err)
	}
	is.Nodes = len(nodes.Items)
	for _, node := range nodes.Items {
		is.Kubernetes, is.Kernel = node.Status.NodeInfo.KubeletVersion, node.Status.NodeInfo.KernelVersion
	}
	// The file that configures a node's network has its name, such as 10-kindnet.conflist.
	file, err := c.nodes[0].Exec(ctx, "ls /etc/cni/net.d", "")
	if err != nil {
		return is, fmt.Errorf("cluster: describe %s: %w", c.spec.Name, err)
	}
	is.CNI = strings.TrimSuffix(strings.TrimPrefix(file, "10-"), ".conflist")
	return is, nil
}
