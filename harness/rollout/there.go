package rollout

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// There deploys nothing and rolls nothing out: an app of that version exists already. The Service stands for it, and need not exist in
// the cluster.
func There(version string, service *corev1.Service) Strategy { return there{version, service} }

type there struct {
	version string
	service *corev1.Service
}

func (t there) Versions() (old, new string) { return t.version, t.version }

func (t there) Deploy(
	context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App, int32,
) (*corev1.Service, error) {
	return t.service, nil
}

func (there) Deployed(observe.State, fixtures.App) bool { return true }

func (there) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

func (there) Settled(observe.State, fixtures.App) bool { return true }

func (there) Over(s observe.State, _ fixtures.App) bool { return !s.Leaving() && s.RoutesToReady() }
