package cluster

import (
	"context"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

// ServerVersion returns the version of the API server. An API server that does not reply is waited for until ctx ends.
func ServerVersion(ctx context.Context, client kubernetes.Interface) (string, error) {
	version, err := discovery.ToServerVersionInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return "", err
	}
	return version.GitVersion, nil
}
