package rollout

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"

	"rollcall/fixtures"
	"rollcall/harness/observe"
)

// Stuck is an update to a version that never becomes available: it ends when the API server says that there was no progress.
func Stuck(old, new string, change func(*fixtures.App)) Strategy {
	return stuck{updateWith{update{old, new}, change}}
}

type stuck struct{ updateWith }

// StuckAfter is for how long a rollout makes no progress, beside its minReadySeconds, until the API server calls it stuck.
const StuckAfter = 5 * time.Second

func (u stuck) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	u.change(&app)
	return u.write(ctx, client, to, app, func(live *appsv1.Deployment) {
		live.Spec.ProgressDeadlineSeconds = new(live.Spec.MinReadySeconds + int32(StuckAfter/time.Second))
	})
}

func (u stuck) Settled(s observe.State, app fixtures.App) bool {
	d := s.Deployments[app.ResourceName()]
	return d != nil && d.Spec.Template.Labels[fixtures.VersionLabel] == u.new &&
		slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Reason == "ProgressDeadlineExceeded" })
}

// Over is when the new version is led to by nobody. Old pods stay, if the strategy leaves any.
func (u stuck) Over(s observe.State, _ fixtures.App) bool {
	return !s.Leaving() && s.ReachesEverywhere(u.new, 0)
}
