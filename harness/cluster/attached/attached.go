package attached

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// Options name the cluster, and say what its owner allows.
type Options struct {
	Kubeconfig string // path, or several as KUBECONFIG has them; empty: as kubectl finds it, in KUBECONFIG or the home folder
	Context    string // InCluster: the service account of the pod we are in
	Access     Access
	Mode       string // kube-proxy's, by the owner's word; empty: what is found
	OutsideURL string // that leads to the app's Service; empty: a NodePort, if one can be reached; NoOutside: nothing does
	LoadNodes  int    // nodes that carry load, at most
	Observe    bool   // that privileged pods may observe every node's rules
	Listen     bool   // that they may also listen to which connections every node routes
	// Drain are nodes that may be cordoned and drained, two or more: a pod that is drained goes to another of them.
	Drain []string
}

const (
	// InCluster is the context of a Rollcall that runs in a pod of the cluster under test.
	InCluster = "in-cluster"
	// NoOutside is the OutsideURL of a cluster that is not to be asked from outside.
	NoOutside = "none"
)

// A Cluster is somebody else's. Nothing of it is changed but what Rollcall itself adds.
type Cluster struct {
	cluster.API
	options Options

	name, mode, kubernetes, network string
	loadNodes                       []string
	proxies                         map[string]Proxy // by node

	found     *cluster.Door     // from here to the app's Service, by FindRoute
	forbidden map[string]string // why features are not there, although they were wanted
}

var _ cluster.Cluster = (*Cluster)(nil)

// connectTimeout is how long an API server may take to say which version it is.
const connectTimeout = 15 * time.Second

// Connect connects to the cluster and finds out what it is. What keeps it from connecting is refused in one line.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{options: o}
	var err error
	if c.API, c.name, err = dial(o); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, fmt.Errorf("no answer in %v", connectTimeout))
	defer cancel()
	version, err := c.Client().Discovery().ServerVersion()
	if err != nil {
		return nil, refuseConnection(c.name, c.REST().Host, err)
	}
	c.kubernetes = version.GitVersion
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, refuseConnection(c.name, c.REST().Host, err)
	}
	if err := checkDrain(ctx, c.Client(), nodes.Items, o.Drain); err != nil {
		return nil, err
	}
	c.loadNodes = loadNodes(nodes.Items, o.Drain, o.LoadNodes)
	c.proxies, c.network = detectProxies(ctx, c.Client(), nodes.Items), detectNetwork(ctx, c.Client())
	if c.mode, err = modeOf(c.proxies, o.Mode); err != nil {
		return nil, err
	}
	return c, nil
}

// Name is that of the kubeconfig's context or, without one, the API server's host.
func (c *Cluster) Name() string { return c.name }

// Mode is a mode of kube-proxy, or none, mixed or unknown.
func (c *Cluster) Mode() string { return c.mode }

// Kubernetes is the version of the API server.
func (c *Cluster) Kubernetes() string { return c.kubernetes }

// Nodes are none: no command runs on somebody else's.
func (c *Cluster) Nodes() []string { return nil }

// NodeName is the first node that may be drained for worker, and the second for worker2.
func (c *Cluster) NodeName(name string) string {
	switch {
	case name == cluster.Worker && len(c.options.Drain) > 0:
		return c.options.Drain[0]
	case name == cluster.Worker2 && len(c.options.Drain) > 1:
		return c.options.Drain[1]
	}
	return name
}

// Workers are as many of the nodes that take pods as the options allow.
func (c *Cluster) Workers(context.Context) ([]string, error) { return c.loadNodes, nil }

// Attached is true.
func (c *Cluster) Attached() bool { return true }

// Temporary is false: the cluster stays.
func (c *Cluster) Temporary() bool { return false }

// Close does nothing.
func (c *Cluster) Close() error { return nil }

// LeaveCPUCgroup does nothing: the nodes' processors are not ours to share out.
func (c *Cluster) LeaveCPUCgroup(*corev1.Pod) error { return nil }

// CannotObserve says why privileged pods may not observe the nodes' rules; empty when they may.
func (c *Cluster) CannotObserve() string {
	if c.options.Observe {
		return c.forbidden[evidence.NodeRules]
	}
	return "privileged pods were not allowed: --allow=node-rules"
}

// CannotListen says why they may not listen to which connections nodes route: while somebody listens, a kernel makes an event of each
// connection of its node.
func (c *Cluster) CannotListen() string {
	if c.options.Listen {
		return c.CannotObserve()
	}
	return "listening to nodes' connections was not allowed: --allow=node-rules,flows"
}

// Forbid notes why features are not there, although they were wanted: that privileged pods observe the nodes' rules, and drains.
func (c *Cluster) Forbid(because map[string]string) { c.forbidden = because }

func (c *Cluster) cannotDrain() string {
	if len(c.options.Drain) == 0 {
		return "no nodes were named that may be: --allow=disruption:NODE,disruption:NODE"
	}
	return c.forbidden[cluster.Drains]
}

// Features are what the cluster has and lacks of what scenarios may need.
func (c *Cluster) Features() []evidence.Feature {
	feature := func(name, lacks string) evidence.Feature {
		return evidence.Feature{Name: name, Supported: lacks == "", Because: lacks}
	}
	return []evidence.Feature{
		feature(evidence.NodeRules, c.CannotObserve()),
		feature(cluster.OutsideLane, c.Door().Closed),
		feature(cluster.ClusterChanges, "it is not ours to change"),
		feature(cluster.Drains, c.cannotDrain()),
	}
}

// Describe says what the cluster is, as the run folder has it.
func (c *Cluster) Describe(ctx context.Context) (evidence.Cluster, error) {
	is := evidence.Cluster{
		Name: c.name, Mode: c.mode, Provider: "attached", Kubernetes: c.kubernetes, CNI: c.network, Features: c.Features(),
	}
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return is, fmt.Errorf("cluster: describe %s: %w", c.name, err)
	}
	is.Nodes = len(nodes.Items)
	for _, node := range nodes.Items {
		is.Kernel = node.Status.NodeInfo.KernelVersion
	}
	return is, nil
}

// PrintSummary says what the cluster is, for a person to stop us before anything is written.
func (c *Cluster) PrintSummary(w io.Writer) {
	row := func(what, is string) { fmt.Fprintf(w, "  %-21s %s\n", what, is) }
	fmt.Fprintln(w, "cluster under test")
	row("context", c.name)
	row("server", c.REST().Host)
	if as := c.REST().Impersonate.UserName; as != "" {
		row("as", as)
	}
	row("Kubernetes", c.kubernetes)
	row("network", c.network)
	row("nodes", fmt.Sprintf("%d, of which %s carry load", len(c.proxies), strings.Join(c.loadNodes, ", ")))
	byProxy := map[Proxy][]string{}
	for node, p := range c.proxies {
		byProxy[p] = append(byProxy[p], node)
	}
	for p, nodes := range byProxy {
		slices.Sort(nodes)
		row("service proxy", fmt.Sprintf("%s on %d nodes (%s): %s", p.Kind, len(nodes), strings.Join(nodes, ", "), p.Because))
	}
	if len(c.options.Drain) > 0 {
		row("may be drained", strings.Join(c.options.Drain, ", "))
	}
	if because := c.CannotObserve(); because != "" {
		row("nodes' rules", "not observed: "+because)
	}
}
