package cluster

import (
	"context"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
)

// A Door is what stands before Services for clients outside the cluster. A further one, such as an Ingress, is a function that
// makes it.
type Door struct {
	NodePort   int32  // that a Service asks for to be reached through it: a port, 0 for none, or [fixtures.AnyNodePort]
	OneService bool   // only one Service at a time is reached
	Given      string // URL that the owner of the cluster named for the app's Service
	Closed     string // why nothing is reached; empty: something is
	// Open returns the URL by which a Service that stands is reached; empty if there is no way.
	Open func(ctx context.Context, service *corev1.Service) (url string, err error)
}

// NodePorts is the door of any NodePort of a node, by its address; without one none that answers is known yet.
func NodePorts(host string) Door {
	return Door{NodePort: fixtures.AnyNodePort, Open: func(_ context.Context, service *corev1.Service) (string, error) {
		if host == "" {
			return "", nil
		}
		return "http://" + net.JoinHostPort(host, fmt.Sprint(fixtures.HTTPPort(service).NodePort)) + "/", nil
	}}
}

// GivenURL is the door that the owner of the cluster named.
func GivenURL(url string) Door {
	return Door{OneService: true, Given: url, Open: func(context.Context, *corev1.Service) (string, error) { return url, nil }}
}

// NoDoor is that there is no way, and why.
func NoDoor(because string) Door {
	return Door{Closed: because, Open: func(context.Context, *corev1.Service) (string, error) { return "", nil }}
}
