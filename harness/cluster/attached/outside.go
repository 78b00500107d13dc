package attached

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/harness/cluster"
	"rollcall/harness/usage"
)

// A Route is how the cluster's Services are reached from this host.
type Route struct {
	URL  string // of the app's Service
	Host string // a node whose NodePorts can be reached
	None string // why there is neither
}

// Route is what FindRoute found.
func (c *Cluster) Route() Route { return c.route }

// Door is the route or, before one was looked for, the URL that was given or any NodePort.
func (c *Cluster) Door() cluster.Door {
	switch given := c.options.OutsideURL; {
	case given == NoOutside:
		return cluster.NoDoor(unwanted)
	case c.route.None != "":
		return cluster.NoDoor(c.route.None)
	case c.route.URL != "" || given != "":
		return cluster.GivenURL(cmp.Or(c.route.URL, given))
	default:
		return cluster.NodePorts(c.route.Host)
	}
}

// unwanted is why there is no door where none was wanted.
const unwanted = "it was not wanted: -outside-url=" + NoOutside

// nodePortTimeout is how long a NodePort that can be reached from here may take until it answers: the rules of a node are
// there a second or two after the endpoint.
const nodePortTimeout = 10 * time.Second

// urlTimeout is how long a load balancer or an Ingress may take to see that the Service it leads to has a ready pod.
const urlTimeout = 30 * time.Second

// Answers returns when a URL gives a good reply, or says what came instead.
type Answers func(ctx context.Context, url string) error

// FindRoute looks for a way from here to a Service whose pods are ready: the URL that was given, or a NodePort of a
// node. What was found, or that nothing was, counts from then on. A URL through which nothing answers is refused.
func (c *Cluster) FindRoute(ctx context.Context, service *corev1.Service, answers Answers) error {
	switch {
	case c.options.OutsideURL == NoOutside:
		c.route.None = unwanted
	case c.options.OutsideURL != "":
		return c.tryURL(ctx, service, answers)
	case c.options.Context == InCluster:
		c.route.None = "this is a pod of the cluster itself"
	default:
		return c.tryNodePorts(ctx, service, answers)
	}
	return nil
}

func (c *Cluster) tryURL(ctx context.Context, service *corev1.Service, answers Answers) error {
	c.route.URL = c.options.OutsideURL
	ctx, cancel := context.WithTimeout(ctx, urlTimeout)
	defer cancel()
	if err := answers(ctx, c.route.URL); err != nil {
		reason := fmt.Sprintf("the Service %s, whose pods are ready, gave no good reply through it for %v: %s",
			service.Name, urlTimeout, usage.OneLine(err))
		return usage.New("outside-url "+c.route.URL, reason, "lead it to port 80 of that Service, or leave the lane out: -outside-url="+NoOutside)
	}
	return nil
}

// tryNodePorts asks every address of every node at once; the first that answers is the route.
func (c *Cluster) tryNodePorts(ctx context.Context, service *corev1.Service, answers Answers) error {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, nodePortTimeout)
	defer cancel()
	var hosts []string
	for _, node := range nodes.Items {
		for _, address := range node.Status.Addresses {
			if address.Type == corev1.NodeInternalIP || address.Type == corev1.NodeExternalIP {
				hosts = append(hosts, address.Address)
			}
		}
	}
	found := make(chan string, len(hosts))
	for _, host := range hosts {
		go func() {
			url, _ := cluster.NodePorts(host).Open(ctx, service) // which does nothing that can fail
			if answers(ctx, url) != nil {
				host = ""
			}
			found <- host
		}()
	}
	for range hosts {
		if host := <-found; host != "" {
			c.route.Host = host
			return nil
		}
	}
	c.route.None = fmt.Sprintf("no NodePort of %d nodes can be reached from here: -outside-url=URL names another way", len(nodes.Items))
	return nil
}
