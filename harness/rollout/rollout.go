// Package rollout holds the ways an app can be brought from one version to the next.
package rollout

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// A Strategy brings an app from one version to another.
type Strategy interface {
	// Versions are the app's version before and after.
	Versions() (old, new string)
	// Deploy creates what stands before the rollout: the app's Service, which has this NodePort unless it is 0, and
	// its pods.
	Deploy(
		ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
	) (*corev1.Service, error)
	// Deployed reports whether all of it is ready, and nothing is on its way out.
	Deployed(observe.State, fixtures.App) bool
	// Begin makes the write that starts the rollout.
	Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error
	// Settled reports whether the API server says that the rollout is done.
	Settled(observe.State, fixtures.App) bool
	// Over reports whether it is for clients: endpoints and every observed node's rules route to just those pods that
	// the rollout leaves them. For strategies that end the old pods it is [Barrier].
	Over(observe.State, fixtures.App) bool
}

// Barrier reports whether no client can reach a version any more: no pod of it is in the API, no endpoint of
// the Service is one, and the rules of no observed node route to one.
func Barrier(s observe.State, version string) bool {
	return s.Count(version) == 0 && !s.Reaches(version)
}

// create makes the app's Service and whatever workloads it is given.
func create(ctx context.Context, client kubernetes.Interface, service *corev1.Service, workloads ...func() error) (*corev1.Service, error) {
	service, err := client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("rollout: create Service: %w", err)
	}
	for _, workload := range workloads {
		if err := workload(); err != nil {
			return nil, fmt.Errorf("rollout: create what is rolled out: %w", err)
		}
	}
	return service, nil
}

// A creatable is where objects of one kind are created, in one namespace.
type creatable[T any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
}

// workload creates one, for create.
func workload[T any](ctx context.Context, in creatable[T], object T) func() error {
	return func() error {
		_, err := in.Create(ctx, object, metav1.CreateOptions{})
		return err
	}
}
