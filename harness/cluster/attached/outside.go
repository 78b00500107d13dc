package attached

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
)

// Door returns the door that FindRoute found or, before that, the door of the URL in the options or of all NodePorts.
func (c *Cluster) Door() cluster.Door {
	switch given := c.options.OutsideURL; {
	case c.found != nil:
		return *c.found
	case given == NoOutside:
		return cluster.NoDoor("it was not wanted: --outside-url=" + NoOutside)
	case given != "":
		return cluster.GivenURL(given)
	}
	return cluster.NodePorts("")
}

// Answers waits until a URL gives a good reply. When ctx ends, it returns an error that says what came instead.
type Answers func(ctx context.Context, url string) error

// FindRoute looks for a way from here to a Service whose pods are ready: the URL in the options, or a NodePort of a node. From
// then on Door returns what it found, even if that is not a way. A URL that gives no good reply is an error.
func (c *Cluster) FindRoute(ctx context.Context, service *corev1.Service, answers Answers) error {
	switch {
	case c.options.OutsideURL == NoOutside:
		return nil
	case c.options.OutsideURL != "":
		return c.tryURL(ctx, service, answers)
	case c.options.Context == InCluster:
		c.found = new(cluster.NoDoor("this is a pod of the cluster itself"))
		return nil
	}
	return c.tryNodePorts(ctx, service, answers)
}

func (c *Cluster) tryURL(ctx context.Context, service *corev1.Service, answers Answers) error {
	url := c.options.OutsideURL
	ctx, cancel := context.WithTimeout(ctx, urlTimeout)
	defer cancel()
	if err := answers(ctx, url); err != nil {
		reason := fmt.Sprintf("the Service %s, whose pods are ready, gave no good reply through it for %v: %s",
			service.Name, urlTimeout, usage.OneLine(err))
		return usage.New("--outside-url="+url, reason, "point it at port 80 of that Service, or run without that lane: --outside-url="+NoOutside)
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
			url, _ := cluster.NodePorts(host).Open(ctx, service) // its error is always nil
			if answers(ctx, url) != nil {
				host = ""
			}
			found <- host
		}()
	}
	for range hosts {
		if host := <-found; host != "" {
			c.found = new(cluster.NodePorts(host))
			return nil
		}
	}
	because := fmt.Sprintf("no NodePort of %d nodes can be reached from here: --outside-url=URL names another way", len(nodes.Items))
	c.found = new(cluster.NoDoor(because))
	return nil
}
