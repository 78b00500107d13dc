package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"rollcall/harness/evidence"
	"rollcall/harness/usage"
)

// A Target is a cluster that somebody else owns. Nothing of it is changed but what Rollcall itself adds.
type Target struct {
	Kubeconfig string // path; empty: as kubectl finds it, in KUBECONFIG or the home folder
	Context    string // InCluster: the service account of the pod we are in
	Mode       string // kube-proxy's, by the owner's word; empty: what is found
	OutsideURL string // that leads to the app's Service; empty: a NodePort, if one can be reached; NoOutside: nothing does
	LoadNodes  int    // nodes that carry agents, at most
	Observe    bool   // that privileged pods may observe every node's rules
}

const (
	// InCluster is the context of a Rollcall that runs in a pod of the cluster under test.
	InCluster = "in-cluster"
	// NoOutside is the OutsideURL of a cluster that is not to be asked from outside.
	NoOutside = "none"
)

// attachPatience is how long an API server may take to say which version it is.
const attachPatience = 15 * time.Second

// Attach connects to the target and finds out what it is. It writes nothing. What keeps it from connecting is refused in
// one line.
func Attach(ctx context.Context, t Target) (*Cluster, error) {
	c := &Cluster{Name: t.Context, target: &t}
	var err error
	if t.Context == InCluster {
		if c.REST, err = rest.InClusterConfig(); err != nil {
			return nil, usage.New("context "+InCluster, err.Error(), "run this in a pod with a service account, or name a context of your kubeconfig")
		}
	} else if err = c.load(); err != nil {
		return nil, err
	}
	c.REST.QPS, c.REST.Burst = 50, 100
	if c.Client, err = kubernetes.NewForConfig(c.REST); err != nil {
		return nil, usage.New("context "+c.Name, err.Error(), "mend it in your kubeconfig")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, attachPatience, fmt.Errorf("no answer in %v", attachPatience))
	defer cancel()
	version, err := c.Client.Discovery().ServerVersion()
	if err != nil {
		return nil, refuseConnection(c.Name, c.REST.Host, err)
	}
	c.Kubernetes = version.GitVersion
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, refuseConnection(c.Name, c.REST.Host, err)
	}
	c.carriers = carriers(nodes.Items, t.LoadNodes)
	c.proxies, c.network = detectProxies(ctx, c.Client, nodes.Items), detectNetwork(ctx, c.Client)
	if c.Mode, err = modeOf(c.proxies, t.Mode); err != nil {
		return nil, err
	}
	return c, nil
}

// load reads the target's kubeconfig by kubectl's own rules.
func (c *Cluster) load() error {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.target.Kubeconfig
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: c.target.Context})
	raw, err := config.RawConfig()
	if err != nil {
		return usage.New("kubeconfig", oneLine(err), "give another: -kubeconfig=FILE")
	}
	contexts := strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ")
	if c.Name == "" {
		c.Name = raw.CurrentContext
		if !strings.HasPrefix(c.Name, "kind-") {
			return usage.New(fmt.Sprintf("context %q", c.Name), "it is the current one but no kind cluster's, and may not be meant", "name it: -context="+c.Name)
		}
	}
	if _, known := raw.Contexts[c.Name]; !known {
		remedy := "use one of " + contexts
		if contexts == "" {
			remedy = "name a kubeconfig that has it: -kubeconfig=FILE"
		}
		return usage.New("context "+c.Name, "the kubeconfig has none of this name", remedy)
	}
	if c.REST, err = config.ClientConfig(); err != nil {
		return usage.New("context "+c.Name, oneLine(err), "mend it in your kubeconfig")
	}
	return nil
}

// refuseConnection says why an API server gives us nothing.
func refuseConnection(name, server string, err error) error {
	thing := fmt.Sprintf("context %s, %s", name, server)
	var dial *net.OpError
	switch {
	case apierrors.IsUnauthorized(err):
		return usage.New(thing, "the credentials are not accepted, or have expired", "log in again, or give another kubeconfig")
	case apierrors.IsForbidden(err):
		return usage.New(thing, oneLine(err), "bind the ClusterRole of fixtures/staging/base to this user")
	case errors.As(err, &dial) || errors.Is(err, context.DeadlineExceeded):
		return usage.New(thing, "it cannot be reached: "+oneLine(err), "check the network, a VPN perhaps, and the server's address")
	default:
		return usage.New(thing, oneLine(err), "see that kubectl --context="+name+" version works")
	}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Attached reports whether the cluster is somebody else's.
func (c *Cluster) Attached() bool { return c.target != nil }

// Observable says why privileged pods may not observe the nodes' rules; empty when they may.
func (c *Cluster) Observable() string {
	if c.target == nil || c.target.Observe {
		return c.unobservable
	}
	return "privileged pods were not allowed: -allow=node-rules"
}

// NotObservable notes why privileged pods may not observe the nodes' rules of a target, although that was wanted.
func (c *Cluster) NotObservable(because string) { c.unobservable = because }

// A Route is how a target's Services are reached from this host.
type Route struct {
	URL  string // of the app's Service
	Host string // a node whose NodePorts can be reached
	None string // why there is neither
}

// Route is what FindOutside found.
func (c *Cluster) Route() Route { return c.route }

// Take takes the word of another process of ours for what FindOutside would find.
func (c *Cluster) Take(route Route) { c.route = route }

// Introduce says what the target is, for a person to stop us before anything is written.
func (c *Cluster) Introduce(w io.Writer) {
	row := func(what, is string) { fmt.Fprintf(w, "  %-21s %s\n", what, is) }
	fmt.Fprintln(w, "cluster under test")
	row("context", c.Name)
	row("server", c.REST.Host)
	row("Kubernetes", c.Kubernetes)
	row("network", c.network)
	row("nodes", fmt.Sprintf("%d, of which %s carry load", len(c.proxies), strings.Join(c.carriers, ", ")))
	byProxy := map[Proxy][]string{}
	for node, p := range c.proxies {
		byProxy[p] = append(byProxy[p], node)
	}
	for p, nodes := range byProxy {
		slices.Sort(nodes)
		row("service proxy", fmt.Sprintf("%s on %d nodes (%s): %s", p.Kind, len(nodes), strings.Join(nodes, ", "), p.Because))
	}
	if because := c.Observable(); because != "" {
		row("nodes' rules", "not observed: "+because)
	}
}

// Features are what a target has and lacks of what scenarios may need.
func (c *Cluster) Features() []evidence.Feature {
	feature := func(name, lacks string) evidence.Feature {
		return evidence.Feature{Name: name, Supported: lacks == "", Because: lacks}
	}
	return []evidence.Feature{
		feature(evidence.NodeRules, c.Observable()),
		feature(OutsideLane, c.route.None),
		feature(ClusterChanges, "it is not ours to change"),
	}
}

// Features beside [evidence.NodeRules] that a target may lack.
const (
	OutsideLane    = "outside"         // a way to the Service from outside the cluster
	ClusterChanges = "cluster-changes" // such as other settings of kube-proxy
)

// carriers are the names of the nodes that take agents: those that any pod may run on, and are ready. Of many, those
// of different zones come first.
func carriers(nodes []corev1.Node, most int) []string {
	zones := map[string][]string{}
	for _, node := range nodes {
		if takesPods(node) {
			zone := node.Labels[corev1.LabelTopologyZone]
			zones[zone] = append(zones[zone], node.Name)
		}
	}
	var names []string
	for rank := 0; len(zones) > 0 && len(names) < most; rank++ {
		for _, zone := range slices.Sorted(maps.Keys(zones)) {
			slices.Sort(zones[zone])
			if rank >= len(zones[zone]) {
				delete(zones, zone)
			} else if len(names) < most {
				names = append(names, zones[zone][rank])
			}
		}
	}
	slices.Sort(names)
	return names
}

func takesPods(node corev1.Node) bool {
	tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule })
	return !node.Spec.Unschedulable && !tainted && nodeReady(node)
}

// reachPatience is how long a NodePort that can be reached from here may take until it answers: the rules of a node are
// there a second or two after the endpoint.
const reachPatience = 10 * time.Second

// urlPatience is how long a load balancer or an Ingress may take to see that the Service it leads to has a ready pod.
const urlPatience = 30 * time.Second

// FindOutside looks for a way from here to a Service whose pods are ready: the URL that was given, or a NodePort of a
// node. What was found, or that nothing was, counts from then on. A URL through which nothing answers is refused.
func (c *Cluster) FindOutside(ctx context.Context, service *corev1.Service, answers func(ctx context.Context, url string) error) error {
	switch c.target.OutsideURL {
	case NoOutside:
		c.route.None = "it was not wanted: -outside-url=" + NoOutside
		return nil
	case "":
	default:
		c.route.URL = c.target.OutsideURL
		ctx, cancel := context.WithTimeout(ctx, urlPatience)
		defer cancel()
		if err := answers(ctx, c.route.URL); err != nil {
			return usage.New("outside-url "+c.route.URL, fmt.Sprintf("the Service %s, whose pods are ready, gave no good reply through it for %v: %s", service.Name, urlPatience, oneLine(err)),
				"lead it to port 80 of that Service, or leave the lane out: -outside-url="+NoOutside)
		}
		return nil
	}
	if c.target.Context == InCluster {
		c.route.None = "this is a pod of the cluster itself"
		return nil
	}
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	found := make(chan string, len(nodes.Items)*2)
	tried := 0
	for _, node := range nodes.Items {
		for _, address := range node.Status.Addresses {
			if address.Type != corev1.NodeInternalIP && address.Type != corev1.NodeExternalIP {
				continue
			}
			tried++
			go func() {
				base := "http://" + net.JoinHostPort(address.Address, fmt.Sprint(service.Spec.Ports[0].NodePort)) + "/"
				if answers(ctx, base) != nil {
					base = ""
				}
				found <- base
			}()
		}
	}
	for range tried {
		if base := <-found; base != "" {
			at, err := url.Parse(base)
			if err != nil {
				return fmt.Errorf("cluster: %w", err)
			}
			c.route.Host = at.Hostname()
			return nil
		}
	}
	c.route.None = fmt.Sprintf("no NodePort of %d nodes can be reached from here: -outside-url=URL names another way", len(nodes.Items))
	return nil
}
