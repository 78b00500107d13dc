package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/kubectl/pkg/util/deployment"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// change edits the app's Deployment and returns it as the API server accepted it. The controller may write in between.
func change(ctx context.Context, steps *harness.Steps, how func(*appsv1.Deployment)) *appsv1.Deployment {
	return harness.Must(rollout.Edit(ctx, steps.Client.AppsV1().Deployments(steps.Namespace), fixtures.DefaultName, how))
}

// revise makes a change, and returns when the API server says that it is rolled out and every replaced pod is gone.
func revise(ctx context.Context, steps *harness.Steps, how func(*appsv1.Deployment)) {
	steps.Until(ctx, completed(change(ctx, steps, how)))
}

// completed returns a condition that holds when the API server says that the Deployment, as it was written, is rolled out, and
// there is no pod beside those that it asks for, not even a terminating one.
func completed(written *appsv1.Deployment) func(observe.State) bool {
	return func(s observe.State) bool {
		d, n := s.Deployments[written.Name], int(*written.Spec.Replicas)
		return d != nil && d.Generation >= written.Generation && rollout.Complete(d) &&
			len(s.Pods) == n && s.Available(written.Spec.Template.Labels[fixtures.VersionLabel]) == n
	}
}

// to returns an edit that gives a Deployment the pod template of the app at a version.
func to(steps *harness.Steps, app fixtures.App, version string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Template = app.Deployment(steps.Into, version).Spec.Template }
}

// stuckAfter is the progress deadline after which noteStuck takes a rollout for stuck.
const stuckAfter = 5 * time.Second

// noteStuck rolls out a version of the app that never becomes ready, waits until the controller says that there was no progress for
// stuckAfter, and notes how far the rollout is then.
func noteStuck(ctx context.Context, steps *harness.Steps, app fixtures.App, version string) {
	app.ReadyDelay = time.Hour
	written := change(ctx, steps, func(d *appsv1.Deployment) {
		to(steps, app, version)(d)
		d.Spec.ProgressDeadlineSeconds = new(int32(stuckAfter / time.Second))
	})
	var stuck *appsv1.Deployment
	steps.Until(ctx, func(s observe.State) bool {
		stuck = s.Deployments[written.Name]
		return stuck != nil && stuck.Status.ObservedGeneration >= written.Generation &&
			condition(stuck, appsv1.DeploymentProgressing).Reason == deployment.TimedOutReason
	})
	var kept, asked int32
	for _, rs := range steps.ReplicaSets(ctx) {
		if rs.Annotations[deployment.RevisionAnnotation] == stuck.Annotations[deployment.RevisionAnnotation] {
			asked += *rs.Spec.Replicas
		} else {
			kept += *rs.Spec.Replicas
		}
	}
	steps.Note("old pods kept while no new pod gets ready", kept)
	steps.Note("new pods asked for while none gets ready", asked)
	steps.Note("pods available while no new pod gets ready", stuck.Status.AvailableReplicas)
}

// How long a number must be the same before steady believes it, and how long a wrong one may still become the wanted one: the
// controllers react within milliseconds, on a busy machine within seconds.
const (
	steadyFor   = 2 * time.Second
	steadyAfter = 15 * time.Second
)

// steady reads a number until it has been the same for steadyFor, and returns it.
func steady(ctx context.Context, want int, ask func() int) (n int) {
	began := time.Now()
	since := began
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		if now := ask(); now != n {
			n, since = now, time.Now()
		}
		return time.Since(since) >= steadyFor && (n == want || time.Since(began) >= steadyAfter), nil
	}))
	return n
}

// condition returns the Deployment's condition of a type; the zero value if it has none.
func condition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) appsv1.DeploymentCondition {
	return ptr.Deref(deployment.GetDeploymentCondition(d.Status, kind), appsv1.DeploymentCondition{})
}
