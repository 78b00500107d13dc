package autoscale

import (
	"context"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// most is maxReplicas of the autoscalers that measure nothing; it is never reached.
const most = 30

// look is longer than an autoscaler goes without looking at its Deployment; it looks every 15 s, for the first time 15 s after it was
// created (Kubernetes v1.36.3, pkg/controller/podautoscaler/horizontal.go, enqueueHPA), or at once (v1.37.2).
const look = 20 * time.Second

// autoscaled puts the app under an autoscaler that keeps at least so many pods.
func autoscaled(ctx context.Context, steps *harness.Steps, least int32) *autoscalingv2.HorizontalPodAutoscaler {
	return harness.Must(steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace).Create(ctx,
		fixtures.App{}.Autoscaler(steps.Namespace, least, most), metav1.CreateOptions{}))
}

// A glance is what an autoscaler has left when it looked last: it writes what it finds into its status, and where that is as before
// it complains of the metrics that it lacks (Kubernetes v1.37.2, pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler).
type glance struct {
	version    string // of the object, which nobody else changes meanwhile
	complaints int32
}

// lookedFirst returns when an autoscaler that was just created has looked: until it looks again, 15 s pass.
func lookedFirst(ctx context.Context, steps *harness.Steps, created *autoscalingv2.HorizontalPodAutoscaler) {
	made := glance{version: created.ResourceVersion}
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) { return glanced(ctx, steps) != made, nil }))
}

// lookedAgain returns when the app's autoscaler has looked once more from now on. Where it has metrics, and they are as before, nothing
// tells of that but the time.
func lookedAgain(ctx context.Context, steps *harness.Steps) {
	last := glanced(ctx, steps)
	since := time.Now()
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		return glanced(ctx, steps) != last || time.Since(since) > look, nil
	}))
}

func glanced(ctx context.Context, steps *harness.Steps) glance {
	autoscalers := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace)
	live := harness.Must(autoscalers.Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	is := glance{version: live.ResourceVersion}
	for _, e := range steps.Events(ctx, live, "FailedComputeMetricsReplicas") {
		is.complaints += e.Count
	}
	return is
}

// scaled gives the app at v1 a size, and returns when it has it.
func scaled(ctx context.Context, steps *harness.Steps, replicas int32) {
	steps.Scale(ctx, fixtures.DefaultName, replicas)
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", replicas) })
}

// restores is how long an autoscaler has to restore a size, our own choice: it looks every 15 s, and what it lacks it may give in steps.
const restores = 2 * time.Minute

// A drop is the time from when the fewest pods were available until the autoscaler wrote another size.
type drop struct{ from, to time.Time }

// reapplied applies a manifest to the app at v1 and returns when that version serves with so many pods, or never will, and every old one
// is gone. It notes what became of the size in between, and when.
func reapplied(ctx context.Context, steps *harness.Steps, how apply, next *appsv1.Deployment, finally int32) drop {
	version := next.Spec.Template.Labels[fixtures.VersionLabel]
	steps.Mark(evidence.RolloutBegun)
	applied := time.Now()
	d := how(ctx, steps, next)
	given := *d.Spec.Replicas
	steps.Note("replicas after the apply", given)
	fewest, reached, written := int(most), time.Duration(0), time.Duration(0)
	steps.Within(ctx, restores, func(s observe.State) bool {
		if n := available(s); n < fewest {
			fewest, reached = n, time.Since(applied)
		}
		if written == 0 && s.Deployments[d.Name].Generation > d.Generation { // nobody but the autoscaler writes the spec
			written = time.Since(applied)
		}
		return serves(s, version, finally)
	})
	steps.Note("fewest available pods", fewest)
	steps.Note("from the apply to the fewest", reached)
	if given < finally {
		steps.Note("from the apply to the autoscaler's write", written)
		steps.Note("from the apply to the minimum again", time.Since(applied))
	}
	steps.Mark(evidence.StatusDone)
	if version != "v1" {
		steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 })
	}
	steps.Mark(evidence.OldGone)
	return drop{applied.Add(reached), applied.Add(written)}
}

// serves reports whether a version is rolled out with so many pods.
func serves(s observe.State, version string, replicas int32) bool {
	d := s.Deployments[fixtures.DefaultName]
	return d != nil && d.Spec.Template.Labels[fixtures.VersionLabel] == version && *d.Spec.Replicas == replicas &&
		d.Status.Replicas == replicas && rollout.Complete(d) && s.Available(version) == int(replicas)
}

// available is how many pods are ready and not being deleted.
func available(s observe.State) int { return s.Available("v1") + s.Available("v2") }

// rescales are what an autoscaler says of the sizes that it gave, once it says something of what they are about, or when it has had the
// time to look once more: Events of the API follow what they tell of.
func rescales(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object, about string) (said []string) {
	since := time.Now()
	harness.Check(poll.Until(ctx, time.Second, func() (bool, error) {
		said = nil
		for _, e := range steps.Events(ctx, autoscaler, "SuccessfulRescale") {
			said = append(said, e.Message)
		}
		of := func(message string) bool { return strings.Contains(message, about) }
		return slices.ContainsFunc(said, of) || time.Since(since) > look, nil
	}))
	return said
}
