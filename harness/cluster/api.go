package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// An API is a cluster's API server, with the methods of a [Cluster] that need nothing else: it is an [APIServer].
type API struct {
	config *rest.Config
	client kubernetes.Interface
}

// NewAPI returns the API of a configuration and a client made from it.
func NewAPI(config *rest.Config, client kubernetes.Interface) API { return API{config, client} }

// Client returns the client of the API server.
func (a API) Client() kubernetes.Interface { return a.client }

// REST returns the configuration for other clients.
func (a API) REST() *rest.Config { return a.config }

// Boots returns the boot id of each node's kernel, by node name.
func (a API) Boots(ctx context.Context) (map[string]string, error) {
	list, err := a.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	boots := map[string]string{}
	for _, node := range list.Items {
		boots[node.Name] = node.Status.NodeInfo.BootID
	}
	return boots, nil
}

// TakesLinuxPods reports whether a node is ready and takes new pods that run on Linux, as ours do.
func TakesLinuxPods(node corev1.Node) bool {
	return NodeReady(node) && !node.Spec.Unschedulable && node.Status.NodeInfo.OperatingSystem != string(corev1.Windows)
}

// NodeReady reports whether a node is Ready.
func NodeReady(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
