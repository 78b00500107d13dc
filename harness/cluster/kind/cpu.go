package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/host"
)

// controlPlaneShares are the CPU shares of a control plane node; a worker has 1024.
const controlPlaneShares = 8192

// raiseControlPlaneShares keeps pods that start on the workers from delaying the API server. With three scenarios at once
// on 2 cores, 1 % of its replies took 1.6 s or longer with equal shares, and 0.16 s with these.
func (c *Cluster) raiseControlPlaneShares(ctx context.Context) error {
	for _, n := range c.nodes {
		controls, err := n.ControlPlane()
		if err == nil && controls {
			err = n.SetShares(ctx, controlPlaneShares)
		}
		if err != nil {
			return fmt.Errorf("of %s: %w", n, err)
		}
	}
	return nil
}

// LeaveCPUCgroup moves a load pod's containers out of the CPU cgroups that share out this machine's processors, and gives them
// a real-time priority. It does nothing where that is not possible (see [host.CannotLeaveCPUCgroup]).
func (c *Cluster) LeaveCPUCgroup(pod *corev1.Pod) error { return c.leaveCPUCgroup(pod, true) }

func (c *Cluster) leaveCPUCgroup(pod *corev1.Pod, realTime bool) (err error) {
	if host.CannotLeaveCPUCgroup() != "" {
		return nil
	}
	for _, status := range pod.Status.ContainerStatuses {
		_, id, _ := strings.Cut(status.ContainerID, "://")
		err = errors.Join(err, host.LeaveCPUCgroup(id, realTime))
	}
	return err
}

// ProxiesLeaveCPUCgroup keeps pods of other nodes from delaying proxies. kubeadm's kube-proxy has no CPU request and so 2 CPU shares,
// while a pod that requests half a processor has 512; a node that is a machine of its own has idle processors for it.
func (c *Cluster) ProxiesLeaveCPUCgroup(ctx context.Context) error {
	proxies, err := c.Client().CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: c.Plane().Proxy.Selector})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for _, pod := range proxies.Items {
		if pod.DeletionTimestamp == nil {
			err = errors.Join(err, c.leaveCPUCgroup(&pod, false))
		}
	}
	return err
}
