package kind

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
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"rollcall/harness/cluster"
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
	cluster.API
	spec       Spec
	kubernetes string    // version
	kubeconfig string    // path
	out        io.Writer // of Open, for changes that take long
	nodes      []nodes.Node
	held       *lock.Lock // nil when our parent process holds it
	reaper     *reaper    // nil when the cluster is kept, or our parent's
	address    string     // of a node that this host reaches; empty if it reaches none
}

var _ cluster.Changeable = (*Cluster)(nil)

// inheritedVariable names, in the environment of a child process, the cluster its parent holds for it.
const inheritedVariable = "ROLLCALL_CLUSTER"

// Open returns the cluster of the spec, ready: every node, CoreDNS and every kube-proxy is Ready,
// and a pod on each worker reaches a Service. It prints progress to w. It waits for a process that
// uses the cluster already; one that our parent holds for us is taken as it is.
func Open(ctx context.Context, w io.Writer, s Spec) (*Cluster, error) {
	state, lockFile, err := places(s.Name)
	if err != nil {
		return nil, err
	}
	c := &Cluster{kubeconfig: filepath.Join(state, "kubeconfig"), spec: s, out: w}
	if Inherited(s.Name) {
		return c, c.inherit(ctx)
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
	if err = c.open(ctx, w, config, state); err == nil {
		err = c.identify(ctx)
	}
	if err != nil {
		if ctx.Err() == nil && !usage.Is(err) {
			err = errors.Join(err, c.logs(w))
		}
		return nil, errors.Join(err, c.release())
	}
	return c, nil
}

// Share is the environment that makes a child process use the cluster we hold.
func (c *Cluster) Share() string { return inheritedVariable + "=" + c.spec.Name }

// Close gives the cluster up: it is removed, unless it was to be kept or belongs to our parent or to somebody else.
func (c *Cluster) Close() error {
	if c.held == nil {
		return nil
	}
	return c.release()
}

func (c *Cluster) release() error {
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
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.nodes, err = provider().ListInternalNodes(c.spec.Name); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.address, err = reachable(ctx, c.nodes); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if c.address != "" { // not by way of the engine's proxy for published ports
		config.Host = "https://" + net.JoinHostPort(c.address, apiPort)
	}
	config.QPS, config.Burst = 100, 200 // ours alone: client-side throttling would only delay what we time
	if c.API, err = cluster.NewAPI(config); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// Name is the spec's.
func (c *Cluster) Name() string { return c.spec.Name }

// Mode is kube-proxy's.
func (c *Cluster) Mode() string { return c.spec.Mode }

// Kubernetes is the version of the nodes.
func (c *Cluster) Kubernetes() string { return c.kubernetes }

// Attached is false: the cluster is ours.
func (c *Cluster) Attached() bool { return false }

// Features are all there.
func (c *Cluster) Features() []evidence.Feature { return nil }

// CannotObserve is empty: the nodes are ours.
func (c *Cluster) CannotObserve() string { return "" }

// Temporary reports whether the cluster is removed when it is closed.
func (c *Cluster) Temporary() bool { return c.held != nil && c.reaper != nil }

// Output is that of Open.
func (c *Cluster) Output() io.Writer { return c.out }

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
	fmt.Fprintf(w, "cluster %s: collecting the nodes' logs into %s\n", c.spec.Name, c.spec.Logs)
	if err := provider().CollectLogs(c.spec.Name, c.spec.Logs); err != nil {
		return fmt.Errorf("cluster: collect logs of %s: %w", c.spec.Name, err)
	}
	return nil
}

// places are a cluster's state folder and lock file.
func places(name string) (state, lockFile string, err error) {
	dir, err := host.StateDir()
	return filepath.Join(dir, "clusters", name), filepath.Join(dir, "locks", name+".lock"), err
}

// Inherited reports whether our parent process holds the cluster for us.
func Inherited(name string) bool { return os.Getenv(inheritedVariable) == name }

// Describe says what the cluster is, as the run folder has it.
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
	// A node's network has the name of the file that configures it, such as 10-kindnet.conflist.
	file, err := c.Exec(ctx, c.nodes[0].String(), "ls /etc/cni/net.d")
	if err != nil {
		return is, fmt.Errorf("cluster: describe %s: %w", c.spec.Name, err)
	}
	is.CNI = strings.TrimSuffix(strings.TrimPrefix(file, "10-"), ".conflist")
	return is, nil
}

// inherit takes the cluster as our parent made it.
func (c *Cluster) inherit(ctx context.Context) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	return c.identify(ctx)
}

// identify asks for the version of the nodes.
func (c *Cluster) identify(ctx context.Context) error {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for _, node := range nodes.Items {
		c.kubernetes = node.Status.NodeInfo.KubeletVersion
	}
	return nil
}
