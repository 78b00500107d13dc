package attached

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// networks are the names of the DaemonSets by which pod networks are recognized.
func networks() []string {
	return []string{"kindnet", "cilium", "calico-node", "kube-flannel-ds", "aws-node", "azure-cns", "antrea-agent", "kube-router", "weave-net"}
}

// detectNetwork returns the name of the cluster's pod network; "unknown" if our rights do not show it.
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
