package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"rollcall/harness/command"
	"rollcall/harness/evidence"
	"rollcall/harness/host"
	"rollcall/harness/lock"
	"rollcall/harness/usage"
)

const (
	// Network is the Docker network of our nodes, and of nothing else: it is how we know them.
	Network = "rollcall-kind"

	clusterLabel = "io.x-k8s.kind.cluster" // kind's own label on every node container, the value is the cluster's name
)

// A Spec says which cluster is wanted.
type Spec struct {
	Name       string    // such as "rollcall-iptables"
	Mode       string    // kube-proxy's
	Image      string    // node image, which the engine has
	Config     string    // path of kind-config.yaml
	Archives   []Archive // images for the pods of suites
	ProbeImage string    // one of them, that can run `probe URL`
	NodePort   int       // that Config leads to from 127.0.0.1
	Logs       string    // folder for the nodes' logs when the cluster cannot be opened
	Keep       bool      // reuse a kept cluster of the same spec, and keep it at Close
}

// An Archive is an image for one platform, as a docker archive.
type Archive struct {
	Ref  string
	Data []byte
}

// A Cluster is open until Close. Nobody else on this host uses it meanwhile.
type Cluster struct {
	Name       string
	Mode       string
	Kubernetes string // version, such as "v1.36.3"; known once described
	Kubeconfig string // path
	REST       *rest.Config
	Client     kubernetes.Interface

	spec   Spec
	out    io.Writer // of Open, for changes that take long
	nodes  []nodes.Node
	held   *lock.Lock // nil when lent
	reaper *reaper    // nil when kept or lent

	target   *Target          // nil when it is ours
	carriers []string         // nodes of a target that take agents
	proxies  map[string]Proxy // of a target's nodes
	network  string           // of a target
	route    Route            // from here to a target

	node string // address of a node of ours that this host reaches; empty if it reaches none

	unobservable string // why the nodes' rules of a target may not be observed, although that was wanted
}

// lent names, in the environment of a child process, the cluster its parent holds for it.
const lent = "ROLLCALL_CLUSTER"

// Open returns the cluster of the spec, ready: every node, CoreDNS and every kube-proxy is Ready,
// and a pod on each worker reaches a Service. It prints progress to w. It waits for a process that
// uses the cluster already; a cluster that is lent to us by our parent is taken as it is.
func Open(ctx context.Context, w io.Writer, s Spec) (*Cluster, error) {
	state, lockFile, err := places(s.Name)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Name: s.Name, Mode: s.Mode, Kubeconfig: filepath.Join(state, "kubeconfig"), spec: s, out: w}
	if Lent(s.Name) {
		return c, c.connect(ctx)
	}
	config, err := loadConfig(s)
	if err != nil {
		return nil, err
	}
	c.held, err = lock.Acquire(ctx, lockFile, func(holder string) {
		fmt.Fprintf(w, "cluster %s is in use by %s; waiting for it\n", s.Name, holder)
	})
	if err != nil {
		return nil, err
	}
	if err := c.open(ctx, w, config, state); err != nil {
		if ctx.Err() == nil && !usage.Is(err) {
			err = errors.Join(err, c.logs(w))
		}
		return nil, errors.Join(err, c.abandon())
	}
	return c, nil
}

// Lend is the environment that makes a child process use the cluster we hold.
func (c *Cluster) Lend() string { return lent + "=" + c.Name }

// Close gives the cluster up: it is removed, unless it was to be kept or belongs to our parent or to somebody else.
func (c *Cluster) Close() error {
	if c.held == nil {
		return nil
	}
	return c.abandon()
}

func (c *Cluster) abandon() error {
	var err error
	if c.reaper != nil {
		err = c.reaper.remove()
	}
	return errors.Join(err, c.held.Release())
}

// note is what a kept cluster's state folder says about it.
type note struct {
	Mode, Image, Config string
}

func (s Spec) note() (note, error) {
	config, err := os.ReadFile(s.Config)
	return note{s.Mode, s.Image, string(config)}, err
}

func noteFile(state string) string { return filepath.Join(state, "kept.json") }

// kept reports whether the state folder notes a kept cluster, of this very spec.
func (s Spec) kept(state string) bool {
	data, err := os.ReadFile(noteFile(state))
	if err != nil {
		return false
	}
	var have note
	want, err := s.note()
	return err == nil && json.Unmarshal(data, &have) == nil && have == want
}

func (s Spec) keep(state string) error {
	n, err := s.note()
	if err != nil {
		return err
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(noteFile(state), data, 0o644)
}

// connect makes the clients from the kubeconfig.
func (c *Cluster) connect(ctx context.Context) error {
	var err error
	if c.REST, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.nodes, err = provider().ListInternalNodes(c.Name); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.node, err = reachable(ctx, c.nodes); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.node != "" { // not by way of the engine's proxy for published ports
		c.REST.Host = "https://" + net.JoinHostPort(c.node, apiPort)
	}
	c.REST.QPS, c.REST.Burst = 100, 200 // ours alone: client-side throttling would only delay what we time
	if c.Client, err = kubernetes.NewForConfig(c.REST); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// Nodes are the names of all nodes.
func (c *Cluster) Nodes() []string {
	var names []string
	for _, node := range c.nodes {
		names = append(names, node.String())
	}
	return names
}

// logs collects the logs of the nodes and their pods.
func (c *Cluster) logs(w io.Writer) error {
	if c.spec.Logs == "" {
		return nil
	}
	fmt.Fprintf(w, "cluster %s: collecting the nodes' logs into %s\n", c.Name, c.spec.Logs)
	if err := provider().CollectLogs(c.Name, c.spec.Logs); err != nil {
		return fmt.Errorf("cluster: collect logs of %s: %w", c.Name, err)
	}
	return nil
}

// places are a cluster's state folder and lock file.
func places(name string) (state, lockFile string, err error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "clusters", name), filepath.Join(dir, "locks", name+".lock"), err
}

// Lent reports whether our parent process holds the cluster for us.
func Lent(name string) bool { return os.Getenv(lent) == name }

// Describe fills in what only the cluster knows about itself, its own Kubernetes version too.
func (c *Cluster) Describe(ctx context.Context, identity *evidence.Cluster) error {
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cluster: describe %s: %w", c.Name, err)
	}
	identity.Nodes = len(nodes.Items)
	for _, node := range nodes.Items {
		identity.Kubernetes, identity.Kernel = node.Status.NodeInfo.KubeletVersion, node.Status.NodeInfo.KernelVersion
	}
	if c.target != nil {
		identity.Kubernetes, identity.CNI = c.Kubernetes, c.network
		return nil
	}
	c.Kubernetes = identity.Kubernetes
	// A node's network has the name of the file that configures it, such as 10-kindnet.conflist.
	file, err := command.Run(ctx, "docker exec %s ls /etc/cni/net.d", c.nodes[0])
	if err != nil {
		return fmt.Errorf("cluster: describe %s: %w", c.Name, err)
	}
	identity.CNI = strings.TrimSuffix(strings.TrimPrefix(file, "10-"), ".conflist")
	return nil
}
