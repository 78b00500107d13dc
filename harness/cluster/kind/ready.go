package kind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// pollEvery is the pause between two looks at a cluster that is starting.
const pollEvery = 200 * time.Millisecond

// readyStep returns the step that waits until the cluster is as ready as [Open] says.
func (c *Cluster) readyStep() step {
	return withTimeout(readyTimeout, step{"become ready", c.awaitReady})
}

func (c *Cluster) awaitReady(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return c.probeWorkers(ctx) })
	last := ""
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		var err error
		if last, err = c.unready(ctx); err != nil {
			last = err.Error()
		}
		return last == "", nil
	})
	if err = errors.Join(err, group.Wait()); err != nil && last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// unready returns what is not Ready yet; empty when everything is.
func (c *Cluster) unready(ctx context.Context) (string, error) {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	if len(nodes.Items) < len(c.nodes) {
		return fmt.Sprintf("%d of %d nodes registered", len(nodes.Items), len(c.nodes)), nil
	}
	for _, node := range nodes.Items {
		if !cluster.NodeReady(node) {
			return "node " + node.Name + " is not Ready", nil
		}
	}
	proxy := c.Plane().Proxy.Name
	proxies, err := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem).Get(ctx, proxy, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if int(proxies.Status.NumberReady) < len(nodes.Items) {
		return fmt.Sprintf("%s is Ready on %d of %d nodes", proxy, proxies.Status.NumberReady, len(nodes.Items)), nil
	}
	dns, err := c.Client().AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if dns.Status.ReadyReplicas < ptr.Deref(dns.Spec.Replicas, 1) {
		return fmt.Sprintf("%d of %d CoreDNS pods are Ready", dns.Status.ReadyReplicas, ptr.Deref(dns.Spec.Replicas, 1)), nil
	}
	return "", nil
}
