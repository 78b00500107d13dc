package mutants

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/harness/cluster"
	"rollcall/harness/poll"
)

// healing undoes on a node what a script of a killed run may have left: stopped programs, and our table.
const healing = `for program in kube-proxy kubelet kube-controller kube-scheduler kube-apiserver etcd containerd; do
	pkill -CONT -x $program || true
done
nft delete table ip ` + tableName + ` 2>/dev/null || true
iptables --table nat --delete KUBE-SERVICES --jump RETURN 2>/dev/null || true`

// Heal undoes what is left of any damage, and returns when the cluster is whole. The error is what it still lacks.
func Heal(ctx context.Context, c cluster.Changeable) error {
	const limit = 90 * time.Second // a static pod that ended starts again after 10 s, and then after 20 s
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not whole after %v", limit))
	defer cancel()
	for _, node := range c.Nodes() {
		if _, err := c.Exec(ctx, node, healing); err != nil {
			return fmt.Errorf("heal %s: %w", node, err)
		}
	}
	missing := ""
	err := poll.Until(ctx, time.Second, func() (bool, error) {
		missing = lacks(ctx, c)
		return missing == "", nil
	})
	if err != nil {
		return errors.Join(err, errors.New(missing))
	}
	return c.ProxiesLeaveCPUCgroup(ctx) // those that started anew
}

// lacks says what keeps a cluster from being whole; empty when it is.
func lacks(ctx context.Context, c cluster.Changeable) string {
	nodes, err := c.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	for _, node := range nodes.Items {
		if !cluster.NodeReady(node) {
			return "node " + node.Name + " is not ready"
		}
		const healthy = "curl --silent --fail --output /dev/null --max-time 1 http://127.0.0.1:10256/healthz"
		if _, err := c.Exec(ctx, node.Name, healthy); err != nil {
			return "kube-proxy of " + node.Name + " is not healthy"
		}
	}
	pods, err := c.Client().CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	for _, pod := range pods.Items {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status != corev1.ConditionTrue {
				return "pod " + pod.Name + " is not ready"
			}
		}
	}
	return ""
}
