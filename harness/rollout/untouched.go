package rollout

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// Untouched deploys nothing and rolls nothing out: an app of that version exists already. The Service stands for it, and need not exist in
// the cluster.
func Untouched(version string, service *corev1.Service) Strategy { return untouched{version, service} }

type untouched struct {
	version string
	service *corev1.Service
}

func (t untouched) Versions() (old, new string) { return t.version, t.version }

func (t untouched) Deploy(
	context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App, int32,
) (*corev1.Service, error) {
	return t.service, nil
}

func (untouched) Deployed(observe.State, fixtures.App) bool { return true }

func (untouched) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

func (untouched) Settled(observe.State, fixtures.App) bool { return true }

func (untouched) Over(s observe.State, _ fixtures.App) bool { return !s.Leaving() && s.RoutesToReady() }
