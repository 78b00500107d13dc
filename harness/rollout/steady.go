package rollout

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/observe"
)

// Steady rolls nothing out: the app stays as it is, whatever else happens to the cluster.
func Steady(version string) Strategy { return steady{update{version, version}} }

type steady struct{ of update }

func (s steady) Versions() (old, new string) { return s.of.Versions() }

func (s steady) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	return s.of.Deploy(ctx, client, to, app, nodePort)
}

func (s steady) Deployed(seen observe.State, app fixtures.App) bool { return s.of.Deployed(seen, app) }

func (steady) Begin(context.Context, kubernetes.Interface, fixtures.Destination, fixtures.App) error {
	return nil
}

func (steady) Settled(observe.State, fixtures.App) bool { return true }

// Over is once every pod is ready again, and the endpoints and every observed node's rules route to all.
func (s steady) Over(seen observe.State, app fixtures.App) bool {
	return s.of.Deployed(seen, app) && seen.ReachesEverywhere(s.of.new, int(app.Replicas))
}
