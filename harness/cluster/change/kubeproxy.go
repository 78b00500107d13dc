package change

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
)

// RestartProxy restarts kube-proxy on a node, and waits until it has written its rules.
func RestartProxy(ctx context.Context, c cluster.Changeable, node string) error {
	if err := restartProxies(ctx, c, []string{node}); err != nil {
		return fmt.Errorf("cluster: restart kube-proxy: %w", err)
	}
	return nil
}

// restartProxies restarts the kube-proxies of nodes, and waits until they have written their rules.
func restartProxies(ctx context.Context, c cluster.Changeable, nodes []string) error {
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: cluster.ProxySelector})
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

// awaitProxies waits until each of the nodes has a kube-proxy that is not excepted and has written its rules.
func awaitProxies(ctx context.Context, c cluster.Changeable, nodes []string, except map[types.UID]bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyTimeout, fmt.Errorf("not every kube-proxy ready after %v", proxyTimeout))
	defer cancel()
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	up := map[string]bool{} // by node
	err := poll.Until(ctx, pollEvery, func() (bool, error) {
		now, err := pods.List(ctx, metav1.ListOptions{LabelSelector: cluster.ProxySelector})
		if err != nil {
			return false, err
		}
		clear(up)
		for _, pod := range now.Items {
			isNew := !except[pod.UID] && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning
			if isNew && slices.Contains(nodes, pod.Spec.NodeName) && proxyHealthy(ctx, c, pod.Spec.NodeName) {
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
			return fmt.Errorf("%w; that of %s said last: %s", err, node, lastLog(ctx, c, node, kube.KubeProxy))
		}
	}
	return err
}

// proxyHealthy reports whether the kube-proxy of a node has written its rules. It asks kube-proxy on port 10256 of the node: its pod
// has no probe, so whether the pod is ready says nothing.
func proxyHealthy(ctx context.Context, c cluster.Machines, node string) bool {
	_, err := c.Exec(ctx, node, cluster.ProxySynced)
	return err == nil
}
