package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/harness/host"
)

// Ungroup takes a client's containers out of the groups in which they take turns at this machine's processors, and lets them
// wait for nobody. It does nothing where that cannot be had (see [host.CannotLeaveCPUCgroup]) or the cluster is somebody else's. Clients
// stand for such as have processors of their own.
func (c *Cluster) Ungroup(pod *corev1.Pod) error { return c.ungroup(pod, true) }

func (c *Cluster) ungroup(pod *corev1.Pod, priority bool) (err error) {
	if c.target != nil || host.CannotLeaveCPUCgroup() != "" {
		return nil
	}
	for _, status := range pod.Status.ContainerStatuses {
		_, id, _ := strings.Cut(status.ContainerID, "://")
		err = errors.Join(err, host.LeaveCPUCgroup(id, priority))
	}
	return err
}

// ungroupProxies takes every kube-proxy out of those groups. kubeadm's has no CPU request, and so two shares where a pod that
// asks for half a processor has 512: where nodes share the processors of one machine it would write its rules when all others
// have had enough. On nodes of their own it has what nobody else wants.
func (c *Cluster) ungroupProxies(ctx context.Context) error {
	proxies, err := c.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: proxySelector})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for _, pod := range proxies.Items {
		if pod.DeletionTimestamp == nil {
			err = errors.Join(err, c.ungroup(&pod, false))
		}
	}
	return err
}
