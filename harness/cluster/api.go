package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// An API is a cluster's API server, with what every provider does by way of it alone.
type API struct {
	config *rest.Config
	client kubernetes.Interface
}

// NewAPI is the API server of a configuration and a client of it.
func NewAPI(config *rest.Config, client kubernetes.Interface) API { return API{config, client} }

// Client speaks to the API server.
func (a API) Client() kubernetes.Interface { return a.client }

// REST is the configuration of other clients.
func (a API) REST() *rest.Config { return a.config }

// Boots maps every node's name to the id of the boot of the kernel it runs on.
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

// NodeReady reports whether a node is Ready.
func NodeReady(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
