package rollout

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/observe"
)

// Canary puts so many pods of the new version beside those of the old one, all behind the Service. The pods of the
// old one stay.
func Canary(old, new string, pods int32) Strategy { return canary{old, new, pods} }

type canary struct {
	old, new string
	pods     int32
}

func (c canary) Versions() (string, string) { return c.old, c.new }

func (c canary) Deploy(
	ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32,
) (*corev1.Service, error) {
	return create(ctx, client, app.Service(to.Namespace, nodePort), deployment(ctx, client, app.Standalone(to, c.old, app.Replicas)))
}

func (c canary) Deployed(s observe.State, app fixtures.App) bool {
	return s.Available(c.old) == int(app.Replicas) && !s.Leaving()
}

func (c canary) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if err := deployment(ctx, client, app.Standalone(to, c.new, c.pods))(); err != nil {
		return fmt.Errorf("rollout: create the canary: %w", err)
	}
	return nil
}

func (c canary) Settled(s observe.State, app fixtures.App) bool {
	d := s.Deployments[app.StandaloneName(c.new)]
	return d != nil && Complete(d)
}

func (c canary) Over(s observe.State, app fixtures.App) bool {
	return s.ReachesEverywhere(c.new, int(c.pods)) && s.ReachesEverywhere(c.old, int(app.Replicas))
}
