package rollout

import (
	"context"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Facts about a rollout whose surge finds no room, and about the same with one pod that may be unavailable and no surge.
const (
	whyStuck    = "why no new pod comes"
	stuckServed = "old pods that serve when the deadline is exceeded"
	goesOn      = "without a surge the rollout is done"
)

// noRoomForSurge: a surge needs room for one more pod. A quota that is used up refuses it, and a node for each pod has none left. The
// rollout stands still, past its deadline, and costs no client anything; with maxUnavailable 1 in place of the surge it goes on. A
// ReplicaSet whose pod was refused looks again when its back-off is over, or when it is changed: see fullSurgeUnderQuota.
func noRoomForSurge() []harness.Scenario {
	refused := func(ctx context.Context, steps *harness.Steps, s observe.State) string {
		return condition(s.Deployments[fixtures.DefaultName], appsv1.DeploymentReplicaFailure).Reason
	}
	return []harness.Scenario{
		noRoom{id: "surge-under-quota", claim: "a quota without room for the surge has a rollout stand still while all old pods serve; without a surge it goes on",
			replicas: func(context.Context, *harness.Steps) int32 { return 3 }, uses: []string{harness.Quotas},
			before: func(ctx context.Context, steps *harness.Steps) { limitPods(ctx, steps, 3) }, why: refused, because: "FailedCreate",
			apart: func(*appsv1.Deployment) {}}.scenario(),
		noRoom{id: "surge-apart", claim: "pods that must be on nodes of their own, one for each node, have a rollout with a surge stand still while all " +
			"old pods serve; without a surge it goes on",
			replicas: func(ctx context.Context, steps *harness.Steps) int32 { return int32(len(steps.Workers(ctx))) },
			before:   func(context.Context, *harness.Steps) {}, why: unscheduled,
			because: corev1.PodReasonUnschedulable, apart: onNodesApart}.scenario(),
	}
}

// A noRoom is a rollout whose surge finds no room.
type noRoom struct {
	id, claim string
	uses      []string
	replicas  func(context.Context, *harness.Steps) int32
	before    func(context.Context, *harness.Steps)
	why       func(context.Context, *harness.Steps, observe.State) string
	because   string
	apart     func(*appsv1.Deployment)
}

func (n noRoom) scenario() harness.Scenario {
	return harness.Scenario{
		ID: n.id, Claim: n.claim, Uses: n.uses,
		Kind:   harness.InSteps{Lasts: time.Minute, Do: n.run},
		Expect: []evidence.Expectation{verdict.Fact(whyStuck, n.because), verdict.Fact(stuckServed, "all"), verdict.Fact(goesOn, "true")},
	}
}

func (n noRoom) run(ctx context.Context, steps *harness.Steps) {
	n.before(ctx, steps)
	app := fixtures.App{Replicas: n.replicas(ctx, steps), Nodes: steps.Workers(ctx), MaxSurge: new(intstr.FromInt32(1)),
		MaxUnavailable: new(intstr.FromInt32(0)), MinReady: time.Second}
	first := app.Deployment(steps.Into, "v1")
	n.apart(first)
	steps.Expose(ctx, app)
	harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, first, metav1.CreateOptions{}))
	steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == int(app.Replicas) })
	written := change(ctx, steps, func(d *appsv1.Deployment) {
		to(steps, app, "v2")(d)
		n.apart(d)
		d.Spec.ProgressDeadlineSeconds = new(int32(stuckAfter / time.Second))
	})
	why, served := "", 0
	steps.Until(ctx, func(s observe.State) bool {
		why, served = n.why(ctx, steps, s), s.Available("v1")
		d := s.Deployments[written.Name]
		return why != "" && d.Status.ObservedGeneration >= written.Generation &&
			condition(d, appsv1.DeploymentProgressing).Reason == deployment.TimedOutReason
	})
	steps.Note(whyStuck, why)
	text := strconv.Itoa(served)
	if served == int(app.Replicas) {
		text = "all"
	}
	steps.Note(stuckServed, text)
	done := func(s observe.State) bool {
		d := s.Deployments[written.Name]
		return rollout.Complete(d) && s.Available("v2") == int(app.Replicas) && s.Count("v1") == 0
	}
	over := false
	for try := 0; try < 5 && !over; try++ {
		change(ctx, steps, func(d *appsv1.Deployment) {
			d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
				MaxSurge: new(intstr.FromInt32(0)), MaxUnavailable: new(intstr.FromInt32(1))}
			d.Annotations["look-again"] = strconv.Itoa(try)
		})
		over = steps.Within(ctx, 20*time.Second, done)
	}
	steps.Note(goesOn, over)
}

// unscheduled returns the reason for which a pod of v2 has no node; empty if none lacks one.
func unscheduled(ctx context.Context, steps *harness.Steps, s observe.State) string {
	if s.Count("v2") == 0 {
		return ""
	}
	for _, p := range steps.Pods(ctx) {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return c.Reason
			}
		}
	}
	return ""
}

// onNodesApart has a node take at most one of the app's pods.
func onNodesApart(d *appsv1.Deployment) {
	d.Spec.Template.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			LabelSelector: d.Spec.Selector, TopologyKey: corev1.LabelHostname}}}
}
