package change

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"rollcall/harness/cluster"
	"rollcall/harness/nodeimage"
	"rollcall/harness/poll"
)

// proxyTimeout is the harness's own: three kube-proxies start anew in about 5 s on the reference host.
const proxyTimeout = 2 * time.Minute

// configureProxies edits kube-proxy's configuration and returns when every kube-proxy runs with it.
func configureProxies(ctx context.Context, c cluster.Changeable, edit func(*corev1.ConfigMap) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proxyTimeout, fmt.Errorf("not every kube-proxy ready after %v", proxyTimeout))
	defer cancel()
	err := editProxyConfig(ctx, c, edit)
	if err == nil {
		err = restartProxies(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("cluster: configure kube-proxy: %w", err)
	}
	return nil
}

// editProxyConfig edits kube-proxy's configuration, of which it takes no notice until it starts anew.
func editProxyConfig(ctx context.Context, c cluster.Changeable, edit func(*corev1.ConfigMap) error) error {
	configMaps := c.Client().CoreV1().ConfigMaps(metav1.NamespaceSystem)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := configMaps.Get(ctx, cluster.ProxyName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := edit(live); err != nil {
			return err
		}
		_, err = configMaps.Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
}

// restartProxies returns when every kube-proxy is a new one and has written its rules.
func restartProxies(ctx context.Context, c cluster.Changeable) error {
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	old, err := pods.List(ctx, metav1.ListOptions{LabelSelector: cluster.ProxySelector})
	if err != nil {
		return err
	}
	was := map[types.UID]bool{}
	for _, pod := range old.Items {
		was[pod.UID] = true
		if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return awaitProxies(ctx, c, was)
}

// awaitProxies returns when every node has a kube-proxy, other than those excluded, that has written its rules.
func awaitProxies(ctx context.Context, c cluster.Changeable, except map[types.UID]bool) error {
	return awaitProxiesOf(ctx, c, c.Nodes(), except)
}

// awaitProxiesOf is the same of some nodes.
func awaitProxiesOf(ctx context.Context, c cluster.Changeable, nodes []string, except map[types.UID]bool) error {
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
		return !slices.ContainsFunc(nodes, func(node string) bool { return !up[node] }), nil
	})
	if err == nil {
		return c.ProxiesLeaveCPUCgroup(ctx)
	}
	for _, node := range nodes {
		if !up[node] {
			return fmt.Errorf("%w; that of %s said last: %s", err, node, lastLog(ctx, c, node, nodeimage.KubeProxy))
		}
	}
	return err
}

// proxyHealthy reports whether kube-proxy of a node has written its rules: it says so on port 10256 of the node, and its pod,
// which has no probe, does not.
func proxyHealthy(ctx context.Context, c cluster.Changeable, node string) bool {
	_, err := c.Exec(ctx, node, cluster.ProxySynced)
	return err == nil
}
