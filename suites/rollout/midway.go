package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// undone: an update is undone when some pods are replaced, as `kubectl rollout undo` and a pipeline that gives up do. Pods of both
// versions end, and it asks for no more pods than any other rollout. Pods that exit at once lose the requests in flight: of 6
// requests a second, the fewest that a lane sends, 3 take 0.5 s, on connections that were opened when there were 4 old pods, or
// again when the first of them ended. Two of these end before the update is undone: none of the requests of both nodes is on them
// once in (4/3)^12, 30 times, per try.
func undone() []harness.Scenario {
	return withAndWithoutDrain(harness.Scenario{
		App:  midway(),
		Kind: harness.UnderLoad{Rollout: rollout.Undone("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.MinAvailable(4),
			verdict.MaxActive(5),
			verdict.OnlyServes("v1", evidence.Barrier),
		},
	}, "undone", "undoing a rollout in its middle", "pods exit as soon as they get SIGTERM")
}

// midway returns an app with four pods that are replaced one by one, each for a second or more, so that a rollout has a middle.
func midway() fixtures.App {
	return fixtures.App{
		Replicas: 4, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		StartDelay: time.Second, MinReady: time.Second, HandlerDelay: slowReply,
	}
}

// overtaken: an update begins while pods are still being restarted, as after a second push. Three ReplicaSets have pods then, and
// no limit is exceeded. For the losses of the second twin see undone.
func overtaken() []harness.Scenario {
	return withAndWithoutDrain(harness.Update(harness.Scenario{
		App:    midway(),
		Kind:   harness.UnderLoad{Rollout: rollout.Overtaken("v1", "v2")},
		Expect: []evidence.Expectation{verdict.MinAvailable(4), verdict.MaxActive(5)},
	}), "overtaken", "an update in the middle of a restart", "pods exit as soon as they get SIGTERM")
}

// paused: a paused rollout stands still, and both versions serve for as long. If it continued, as it would within 10 s, the
// recording would show nothing: see [rollout.Paused].
func paused() harness.Scenario {
	const stands = 10 * time.Second
	app := midway()
	app.AddDrain()
	return harness.Update(harness.Scenario{
		ID:    "paused",
		Claim: "a rollout that is paused for 10 s and resumed fails no request, and both versions answer for as long",
		App:   app,
		Kind:  harness.UnderLoad{Rollout: rollout.Paused("v1", "v2", stands)},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.MinAvailable(4),
			verdict.MaxActive(5),
			verdict.MinMixedWindow(stands).On(evidence.Fresh),
		},
	})
}

// pausedSizes: while a Deployment is paused its controller resizes no ReplicaSet, its deadline does not run, and kubectl refuses to
// undo (Kubernetes v1.36.3, pkg/controller/deployment/sync.go, checkPausedConditions; kubectl v0.37.2,
// pkg/polymorphichelpers/rollback.go). The controller may finish what it had begun, which is why the sizes are read after it says
// that the Deployment is paused.
func pausedSizes() harness.Scenario {
	app := midway()
	return harness.Scenario{
		ID:    "paused-sizes",
		Claim: "a Deployment that is paused in the middle of a rollout keeps the sizes of its ReplicaSets, beyond its progress deadline",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			change(ctx, steps, to(steps, app, "v2"))
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v2") == 2 })
			asked := change(ctx, steps, func(d *appsv1.Deployment) { // only now: while a pod starts the deadline would be exceeded
				d.Spec.Paused, d.Spec.ProgressDeadlineSeconds = true, new(int32(stuckAfter/time.Second))
			})
			steps.Until(ctx, func(s observe.State) bool {
				d := s.Deployments[asked.Name]
				return d.Status.ObservedGeneration >= asked.Generation && condition(d, appsv1.DeploymentProgressing).Reason == "DeploymentPaused"
			})
			stood := sizes(ctx, steps)
			steps.Pause(ctx, 2*stuckAfter)
			steps.Note("sizes changed", sizes(ctx, steps) != stood)
			live := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, asked.Name, metav1.GetOptions{}))
			progressing := condition(live, appsv1.DeploymentProgressing)
			steps.Note("Progressing", fmt.Sprint(progressing.Status, " ", progressing.Reason))
			steps.Note("undo", rollout.Undo(steps.Client, live))
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.Paused = false })
			steps.Note("sizes once it is resumed", sizes(ctx, steps))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("sizes changed", "false"),
			verdict.Fact("Progressing", "Unknown DeploymentPaused"),
			verdict.Fact("undo", "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"),
			verdict.Fact("sizes once it is resumed", "v1:0 v2:4"),
		},
	}
}

// sizes returns the sizes of the ReplicaSets, by version.
func sizes(ctx context.Context, steps *harness.Steps) string {
	var all []string
	for _, rs := range steps.ReplicaSets(ctx) {
		all = append(all, fmt.Sprintf("%s:%d", rs.Spec.Template.Labels[fixtures.VersionLabel], *rs.Spec.Replicas))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
