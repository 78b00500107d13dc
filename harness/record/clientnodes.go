package record

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/cluster"
)

// controlPlane is the key of the taint that keeps pods of users from a control plane (kubeadm, "Control plane node isolation").
const controlPlane = "node-role.kubernetes.io/control-plane"

// clientNodes counts the nodes that pods of users, which may be clients of the Service, can be on. Nodes with a taint of their owner's
// count: some pods tolerate it.
func clientNodes(ctx context.Context, client kubernetes.Interface) (n int, err error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	for _, node := range list.Items {
		apart := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == controlPlane })
		if cluster.TakesLinuxPods(node) && !apart && !virtual(node) {
			n++
		}
	}
	return n, nil
}
