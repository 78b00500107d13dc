package cluster

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/host"
)

// Ungroup takes a pod's containers out of the groups in which they take turns at this machine's processors. It does
// nothing where that cannot be had (see [host.CannotUngroup]) or the cluster is somebody else's. It is for clients, which stand
// for such as have processors of their own. The observers of rules keep their turns, with the kube-proxy that they observe.
func (c *Cluster) Ungroup(pod *corev1.Pod) (err error) {
	if c.target != nil || host.CannotUngroup() != "" {
		return nil
	}
	for _, status := range pod.Status.ContainerStatuses {
		_, id, _ := strings.Cut(status.ContainerID, "://")
		err = errors.Join(err, host.Ungroup(id))
	}
	return err
}
