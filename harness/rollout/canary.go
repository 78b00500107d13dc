package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// Canary is an update that stands after its first step, with one new pod beside the old ones, for an app with a surge of 1 and
// none unavailable: the new pod is ready, and is available only after canaryStands, so that no old one goes for it.
func Canary(old, new string) Strategy { return canary{update{old, new}} }

// canaryStands is longer than any scenario lasts, and has to be shorter than the progress deadline, 600 s by default.
const canaryStands = 5 * time.Minute

type canary struct{ update }

func (c canary) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	return c.write(ctx, client, to, app, func(live *appsv1.Deployment) { live.Spec.MinReadySeconds = int32(canaryStands / time.Second) })
}

// Settled is when the new pod is ready: of a rollout that stands the API server never says that it is done.
func (c canary) Settled(s observe.State, app fixtures.App) bool {
	return s.Available(c.new) == 1 && s.Available(c.old) == int(app.Replicas)
}

func (c canary) Over(s observe.State, app fixtures.App) bool {
	return s.ReachesEverywhere(c.new, 1) && s.ReachesEverywhere(c.old, int(app.Replicas))
}
