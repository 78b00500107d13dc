package change

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
)

// needsKubeProxy returns a [cluster.Unsupported] if another program routes on the cluster's nodes.
func needsKubeProxy(c cluster.Machines) error {
	if p := c.Plane(); p.Proxy != dataplane.KubeProxy {
		return &cluster.Unsupported{Because: "kube-proxy does not run plane " + p.Name}
	}
	return nil
}

// RestartProxy restarts the proxy of a node, and waits until it has written its rules.
func RestartProxy(ctx context.Context, c cluster.Changeable, node string) error {
	if err := restartProxies(ctx, c, []string{node}); err != nil {
		return fmt.Errorf("cluster: restart %s: %w", c.Plane().Proxy.Name, err)
	}
	return nil
}

// restartProxies restarts the proxies of nodes, and waits until they have written their rules.
func restartProxies(ctx context.Context, c cluster.Changeable, nodes []string) error {
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: c.Plane().Proxy.Selector})
	if err != nil {
		return err
	}
	was := map[types.UID]bool{}
	for _, pod := range old.Items {
		if !slices.Contains(nodes, pod.Spec.NodeName) {
			continue
		}
		was[pod.UID] = true
		if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return awaitProxies(ctx, c, nodes, was)
}

// awaitProxies waits until each of the nodes has a proxy that is not excepted and has written its rules.
func awaitProxies(ctx context.Context, c cluster.Changeable, nodes []string, except map[types.UID]bool) error {
	proxy := c.Plane().Proxy
	ctx, cancel := context.WithTimeoutCause(ctx, proxyTimeout, fmt.Errorf("not every %s ready after %v", proxy.Name, proxyTimeout))
	defer cancel()
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	up := map[string]bool{} // by node
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		now, err := pods.List(ctx, metav1.ListOptions{LabelSelector: proxy.Selector})
		if err != nil {
			return false, err
		}
		clear(up)
		for _, pod := range now.Items {
			isNew := !except[pod.UID] && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning
			if isNew && slices.Contains(nodes, pod.Spec.NodeName) && synced(ctx, c, pod.Spec.NodeName) {
				up[pod.Spec.NodeName] = true
			}
		}
		return len(up) == len(nodes), nil
	})
	if err == nil {
		return c.ProxiesLeaveCPUCgroup(ctx)
	}
	for _, node := range nodes {
		if !up[node] {
			return fmt.Errorf("%w; that of %s said last: %s", err, node, lastLog(ctx, c, node, proxy.Name))
		}
	}
	return err
}

// synced reports whether the proxy of a node has written its rules.
func synced(ctx context.Context, c cluster.Machines, node string) bool {
	_, err := c.Exec(ctx, node, c.Plane().Proxy.Synced)
	return err == nil
}
