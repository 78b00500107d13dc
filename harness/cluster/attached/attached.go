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
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/secret"
)

// Options say which cluster to connect to, and what its owner allows.
type Options struct {
	Kubeconfig string // path, or a list of paths as in KUBECONFIG; empty: as kubectl finds it, in KUBECONFIG or the home folder
	Context    string // InCluster: the service account of the pod we are in
	Access     Access
	Current    bool   // without a Context, the kubeconfig's current one will do, of whatever cluster: nothing is written
	Mode       string // kube-proxy's, as the owner says; empty: as detected
	OutsideURL string // of the app's Service; empty: a NodePort, if one can be reached; NoOutside: no way
	LoadNodes  int    // most nodes that carry load
	Observe    bool   // privileged pods may observe every node's rules
	Listen     bool   // those pods may also record the connections that every node routes
	// Drain are the nodes that may be cordoned and drained: none, or two or more, as a drained pod moves to another of them.
	Drain []string
}

const (
	// InCluster is the context of a Rollcall that runs in a pod of the cluster under test.
	InCluster = "in-cluster"
	// NoOutside is the OutsideURL for a run without requests from outside.
	NoOutside = "none"
)

// A Cluster is a cluster that somebody else owns. Rollcall changes only what it has added itself.
type Cluster struct {
	cluster.API
	options Options
	loader  clientcmd.ClientConfig // of the context

	name, mode, kubernetes, network string
	ahead                           time.Duration // by which the API server's clock is ahead of this host's
	loadNodes                       []string
	proxies                         map[string]Proxy // by node
	metrics                         bool             // autoscalers have some

	found     *cluster.Door     // by FindRoute; nil before
	forbidden map[string]string // see Forbid
}

var _ cluster.Cluster = (*Cluster)(nil)

// errNoAnswer is the cause of a context that ends after connectTimeout.
var errNoAnswer = fmt.Errorf("no answer in %v", connectTimeout)

// Connect connects to the cluster and detects its version, nodes, service proxy and network. The error of what prevents
// this is a [usage] error, in one line.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	c, err := dial(o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, errNoAnswer)
	defer cancel()
	if c.kubernetes, err = cluster.ServerVersion(ctx, c.Client()); err != nil {
		return nil, refuseConnection(c.name, c.REST().Host, err)
	}
	if c.ahead, err = aheadOfHost(ctx, c.REST()); err != nil {
		return nil, refuseConnection(c.name, c.REST().Host, err)
	}
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, refuseConnection(c.name, c.REST().Host, err)
	}
	if err := checkDrain(ctx, c.Client(), nodes.Items, o.Drain); err != nil {
		return nil, err
	}
	c.loadNodes = loadNodes(nodes.Items, o.Drain, o.LoadNodes)
	c.proxies, c.network = detectProxies(ctx, c.Client(), nodes.Items), detectNetwork(ctx, c.Client())
	c.metrics = c.Client().Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io").Do(ctx).Error() == nil
	if c.mode, err = modeOf(c.proxies, o.Mode); err != nil {
		return nil, err
	}
	return c, nil
}

// Name returns the name of the kubeconfig's context or, without one, the API server's host.
func (c *Cluster) Name() string { return c.name }

// Mode returns a mode of kube-proxy, or none, mixed or unknown.
func (c *Cluster) Mode() string { return c.mode }

// Kubernetes returns the version of the API server.
func (c *Cluster) Kubernetes() string { return c.kubernetes }

// NodeName returns for worker the first node that may be drained, and for worker2 the second.
func (c *Cluster) NodeName(name string) string {
	switch {
	case name == cluster.Worker && len(c.options.Drain) > 0:
		return c.options.Drain[0]
	case name == cluster.Worker2 && len(c.options.Drain) > 1:
		return c.options.Drain[1]
	}
	return name
}

// Workers returns the nodes that carry load, at most as many as the options allow.
func (c *Cluster) Workers(context.Context) ([]string, error) { return c.loadNodes, nil }

// Attached returns true.
func (c *Cluster) Attached() bool { return true }

// Temporary returns false: the cluster stays.
func (c *Cluster) Temporary() bool { return false }

// Close does nothing.
func (c *Cluster) Close() error { return nil }

// LeaveCPUCgroup does nothing: we do not change how the owner's nodes share out their processors.
func (c *Cluster) LeaveCPUCgroup(*corev1.Pod) error { return nil }

// CannotObserve returns why privileged pods may not observe the nodes' rules; empty when they may.
func (c *Cluster) CannotObserve() string {
	if c.options.Observe {
		return c.forbidden[evidence.NodeRules]
	}
	return "privileged pods were not allowed: --allow=node-rules"
}

// CannotListen returns why privileged pods may not record the connections that nodes route; empty when they may. The option is
// separate because while somebody listens, a node's kernel makes an event for each of its connections.
func (c *Cluster) CannotListen() string {
	if c.options.Listen {
		return c.CannotObserve()
	}
	return "listening to nodes' connections was not allowed: --allow=node-rules,flows"
}

// Forbid sets the reasons, by feature, why our rights do not let scenarios use it.
func (c *Cluster) Forbid(because map[string]string) { c.forbidden = because }

// Forbidden returns the reason given to Forbid why scenarios may not use a feature; empty if they may.
func (c *Cluster) Forbidden(feature string) (because string) { return c.forbidden[feature] }

func (c *Cluster) cannotDrain() string {
	if len(c.options.Drain) == 0 {
		return "no nodes may be drained: allow two or more: --allow=disruption:NODE,disruption:NODE"
	}
	return c.forbidden[cluster.Drains]
}

// Features returns the features that scenarios may need, and for those that the cluster does not have the reason.
func (c *Cluster) Features() []evidence.Feature {
	feature := func(name, lacks string) evidence.Feature {
		return evidence.Feature{Name: name, Supported: lacks == "", Because: lacks}
	}
	return []evidence.Feature{
		feature(evidence.NodeRules, c.CannotObserve()),
		feature(cluster.OutsideLane, c.Door().Closed),
		feature(cluster.ClusterChanges, "Rollcall changes only clusters that it made"),
		feature(cluster.Drains, c.cannotDrain()),
		feature(cluster.NoMetrics, map[bool]string{true: "an autoscaler has metrics here, and does more than keep its bounds"}[c.metrics]),
		feature(cluster.SupportedRelease, kube.Unsupported(c.kubernetes)),
	}
}

// Describe returns what the run folder records about the cluster.
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

// PrintSummary prints what the cluster is, so that a person can stop the run before it writes anything.
func (c *Cluster) PrintSummary(w io.Writer) {
	below := "\n" + strings.Repeat(" ", 24) // names of nodes may be long
	row := func(what string, is ...string) { fmt.Fprintf(w, "  %-21s %s\n", what, strings.Join(is, below)) }
	fmt.Fprintln(w, "cluster under test")
	row("context", c.name)
	row("server", secret.URLs(c.REST().Host))
	if as := c.REST().Impersonate.UserName; as != "" {
		row("as", as)
	}
	kubernetes := []string{c.kubernetes}
	if because := kube.Unsupported(c.kubernetes); because != "" {
		kubernetes = append(kubernetes, because)
	}
	row("Kubernetes", kubernetes...)
	row("network", c.network)
	row("nodes", fmt.Sprint(len(c.proxies)))
	row("carry load", c.loadNodes...)
	byProxy := map[Proxy][]string{}
	for node, p := range c.proxies {
		byProxy[p] = append(byProxy[p], node)
	}
	for p, nodes := range byProxy {
		if len(nodes) == len(c.proxies) {
			nodes = nil
		}
		slices.Sort(nodes)
		row("service proxy", append([]string{fmt.Sprintf("%s: %s", p.Kind, p.Because)}, nodes...)...)
	}
	if len(c.options.Drain) > 0 {
		row("may be drained", c.options.Drain...)
	}
	if because := c.CannotObserve(); because != "" {
		row("nodes' rules", "not observed: "+because)
	}
}
