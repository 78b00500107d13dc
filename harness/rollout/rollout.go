// Package rollout has strategies that bring an app from one version to the next.
package rollout

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// A Strategy brings an app from one version to another.
type Strategy interface {
	// Versions returns the app's version before and after.
	Versions() (old, new string)
	// Deploy creates what exists before the rollout: the app's Service, with this NodePort unless it is 0, and
	// the workload.
	Deploy(
		ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
	) (*corev1.Service, error)
	// Deployed reports whether all of that is ready, and no pod is terminating.
	Deployed(observe.State, fixtures.App) bool
	// Begin makes the write that starts the rollout.
	Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error
	// Settled reports whether the API server says that the rollout is done.
	Settled(observe.State, fixtures.App) bool
	// Over reports whether the rollout is done for clients: endpoints and every observed node's rules route only to
	// the pods that stay. For strategies that end the old pods it is [Barrier].
	Over(observe.State, fixtures.App) bool
}

// Barrier reports whether no client can reach a version any more: the API has no pod of it, the Service no endpoint
// of it, and no observed node's rules route to it.
func Barrier(s observe.State, version string) bool {
	return s.Count(version) == 0 && !s.Reaches(version)
}
