package attached

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// networks are known by the DaemonSet that runs them on every node.
func networks() []string {
	return []string{"kindnet", "cilium", "calico-node", "kube-flannel-ds", "aws-node", "azure-cns", "antrea-agent", "kube-router", "weave-net"}
}

// detectNetwork is the name of the cluster's network, as far as we may see it.
func detectNetwork(ctx context.Context, client kubernetes.Interface) string {
	for _, namespace := range []string{metav1.NamespaceSystem, "kube-flannel", "calico-system"} {
		sets, err := client.AppsV1().DaemonSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, set := range sets.Items {
			if slices.Contains(networks(), set.Name) {
				return strings.TrimSuffix(strings.TrimPrefix(set.Name, "kube-"), "-ds")
			}
		}
	}
	return unknownProxy
}
