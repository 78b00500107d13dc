package change

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/poll"
)

// NoProxy returns the change that removes kube-proxy, or what writes rules instead, from every node. Its rules stay, and nobody updates
// them.
func NoProxy() cluster.Change { return noProxy{} }

type noProxy struct{}

func (noProxy) String() string { return "no kube-proxy" }

// nowhere is a label that no node has.
const nowhere = "rollcall.local/nowhere"

func (noProxy) Make(ctx context.Context, c cluster.Changeable) (undo func(context.Context) error, err error) {
	undo = func(ctx context.Context) error { return restoreProxies(ctx, c) }
	return undo, removeProxies(ctx, c)
}

// removeProxies removes the proxy from every node, and waits until none is left.
func removeProxies(ctx context.Context, c cluster.Changeable) error {
	if err := selectProxyNodes(ctx, c, `"true"`); err != nil {
		return err
	}
	pods := c.Client().CoreV1().Pods(metav1.NamespaceSystem)
	return poll.Until(ctx, pollEvery, func() (bool, error) {
		left, err := pods.List(ctx, metav1.ListOptions{LabelSelector: c.Plane().Proxy.Selector})
		return err == nil && len(left.Items) == 0, err
	})
}

// restoreProxies brings the proxy back to every node, if it was removed, and waits until each has written its rules.
func restoreProxies(ctx context.Context, c cluster.Changeable) error {
	if err := selectProxyNodes(ctx, c, "null"); err != nil {
		return err
	}
	return awaitProxies(ctx, c, c.Nodes(), nil)
}

// selectProxyNodes sets the label nowhere in the nodeSelector of the proxy's DaemonSet to a value in JSON; null removes it.
func selectProxyNodes(ctx context.Context, c cluster.Changeable, value string) error {
	if err := patchProxies(ctx, c, fmt.Sprintf(`{"nodeSelector":{%q:%s}}`, nowhere, value)); err != nil {
		return fmt.Errorf("cluster: choose the nodes of %s: %w", c.Plane().Proxy.Name, err)
	}
	return nil
}

// patchProxies patches the pod spec of the proxy's DaemonSet, by a strategic merge.
func patchProxies(ctx context.Context, c cluster.Changeable, pod string) error {
	patch := fmt.Sprintf(`{"spec":{"template":{"spec":%s}}}`, pod)
	sets := c.Client().AppsV1().DaemonSets(metav1.NamespaceSystem)
	_, err := sets.Patch(ctx, c.Plane().Proxy.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}
