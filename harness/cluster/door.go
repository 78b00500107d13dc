package cluster

import (
	"context"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
)

// A Door is a way by which clients outside the cluster reach Services, such as a NodePort. To add another, such as an Ingress,
// write a function that returns it.
type Door struct {
	NodePort   int32  // of the Services behind it: a port, 0 for none, or [fixtures.AnyNodePort]
	OneService bool   // it reaches only one Service at a time
	Given      string // URL that the owner of the cluster gave for the app's Service
	Closed     string // why it reaches no Service; empty if it does
	// Open returns the URL of a Service that exists; empty if there is no way to it.
	Open func(ctx context.Context, service *corev1.Service) (url string, err error)
}

// NodePorts returns the door of all NodePorts at a node's address. An empty address: no node that answers is known yet.
func NodePorts(host string) Door {
	return Door{NodePort: fixtures.AnyNodePort, Open: func(_ context.Context, service *corev1.Service) (string, error) {
		if host == "" {
			return "", nil
		}
		return "http://" + net.JoinHostPort(host, fmt.Sprint(fixtures.HTTPPort(service).NodePort)) + "/", nil
	}}
}

// GivenURL returns the door of a URL that the owner of the cluster gave.
func GivenURL(url string) Door {
	return Door{OneService: true, Given: url, Open: func(context.Context, *corev1.Service) (string, error) { return url, nil }}
}

// NoDoor returns a door that reaches no Service, for the reason given.
func NoDoor(because string) Door {
	return Door{Closed: because, Open: func(context.Context, *corev1.Service) (string, error) { return "", nil }}
}
