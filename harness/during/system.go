package during

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// systemOf returns the states of what runs the cluster, as far as it can be read: the API server's version and, of kube-system, the pods
// that a DaemonSet or a node itself runs, which are kube-proxy, the network plugin and a control plane of static pods. The API shows static
// pods as pods that their Node controls (pkg/kubelet/pod/mirror_client.go, v1.37).
func systemOf(ctx context.Context, client kubernetes.Interface) states {
	all := states{}
	if version, err := client.Discovery().ServerVersion(); err == nil {
		all["the API server's version"] = version.GitVersion
	}
	list, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return all
	}
	for _, pod := range list.Items {
		owner := metav1.GetControllerOf(&pod)
		if owner == nil || owner.Kind != "DaemonSet" && owner.Kind != "Node" {
			continue
		}
		component := owner.Name
		if owner.Kind == "Node" {
			component = strings.TrimSuffix(pod.Name, "-"+pod.Spec.NodeName)
		}
		all[component+" on "+pod.Spec.NodeName] = specified(pod.UID, startsOf(pod))
	}
	return all
}

// startsOf has the containers of a pod as they run: another one has been started since if it changes.
func startsOf(pod corev1.Pod) string {
	var ids []string
	for _, c := range pod.Status.ContainerStatuses {
		ids = append(ids, fmt.Sprint(c.Name, " ", c.RestartCount, " ", c.ContainerID))
	}
	return strings.Join(ids, ", ")
}
