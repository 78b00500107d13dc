package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
)

// Canary returns an update that stops after its first step, with one new pod beside the old ones, for an app with a maxSurge of 1 and
// a maxUnavailable of 0: the new pod is ready but not available until canaryMinReady have passed, so no old pod is replaced.
func Canary(old, new string) Strategy { return canary{update{old, new}} }

// canaryMinReady is the minReadySeconds of a canary: longer than any scenario; it has to be shorter than the progress deadline, 600 s.
const canaryMinReady = 5 * time.Minute

type canary struct{ update }

func (c canary) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	return c.write(ctx, client, to, app, func(live *appsv1.Deployment) { live.Spec.MinReadySeconds = int32(canaryMinReady / time.Second) })
}

// Settled reports whether the new pod is ready: the API server never says that such a rollout is done.
func (c canary) Settled(s observe.State, app fixtures.App) bool {
	return s.Available(c.new) == 1 && s.Available(c.old) == int(app.Replicas)
}

func (c canary) Over(s observe.State, app fixtures.App) bool {
	return s.ReachesEverywhere(c.new, 1) && s.ReachesEverywhere(c.old, int(app.Replicas))
}
