package autoscale

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
)

// most is maxReplicas of the autoscalers without metrics; it is never reached.
const most = 30

// betweenLooks is longer than the time between two looks of an autoscaler at its Deployment. It looks every 15 s, or as often as the owner
// of the cluster says (--horizontal-pod-autoscaler-sync-period), which the API does not show: here for up to a minute, our own choice. It
// looks for the first time so long after its creation (Kubernetes v1.36.3, pkg/controller/podautoscaler/horizontal.go, enqueueHPA), or at
// once (v1.37.2). A manifest that is applied when it has just looked measures that time: it is noted, from the apply to its write.
const betweenLooks = 65 * time.Second

// autoscaled creates an autoscaler for the app that keeps at least so many pods.
func autoscaled(ctx context.Context, steps *harness.Steps, least int32) *autoscalingv2.HorizontalPodAutoscaler {
	return harness.Must(steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace).Create(ctx,
		fixtures.App{}.Autoscaler(steps.Into, least, most), metav1.CreateOptions{}))
}

// A lookTrace is the trace that an autoscaler's last look left: it writes what it finds into its status, and if that is unchanged, it
// reports the metrics that it lacks (Kubernetes v1.37.2, pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler).
type lookTrace struct {
	version    string // of the object, which only the autoscaler changes
	complaints int32
}

// lookedFirst returns when an autoscaler that was just created has looked: its next look is 15 s later.
func lookedFirst(ctx context.Context, steps *harness.Steps, created *autoscalingv2.HorizontalPodAutoscaler) {
	made := lookTrace{version: created.ResourceVersion}
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) { return lastLook(ctx, steps) != made, nil }))
}

// lookedAgain returns when the app's autoscaler has looked once more. If it has metrics and they are unchanged, only the time
// tells.
func lookedAgain(ctx context.Context, steps *harness.Steps) {
	last := lastLook(ctx, steps)
	since := time.Now()
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		return lastLook(ctx, steps) != last || time.Since(since) > betweenLooks, nil
	}))
}

func lastLook(ctx context.Context, steps *harness.Steps) lookTrace {
	return harness.Must(lookOf(ctx, steps.Client, steps.Namespace))
}

// lookOf reads the trace of the app's autoscaler in a namespace.
func lookOf(ctx context.Context, client kubernetes.Interface, namespace string) (is lookTrace, err error) {
	live, err := client.AutoscalingV2().HorizontalPodAutoscalers(namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{})
	if err != nil {
		return is, err
	}
	is.version = live.ResourceVersion
	events, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.uid": string(live.UID), "reason": "FailedComputeMetricsReplicas"}.String()})
	if err != nil {
		return is, err
	}
	for _, e := range events.Items {
		is.complaints += e.Count
	}
	return is, nil
}

// scaled gives the app at v1 a size, and returns when it has so many pods.
func scaled(ctx context.Context, steps *harness.Steps, replicas int32) {
	steps.Scale(ctx, fixtures.DefaultName, replicas)
	steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", replicas) })
}

// replicas returns the app's size, as the API has it.
func replicas(ctx context.Context, steps *harness.Steps) int32 {
	return *harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{})).Spec.Replicas
}

// restores is how long an autoscaler may take to restore a size, our own choice: it looks every 15 s, and may add the missing pods
// in steps.
const restores = 2 * time.Minute

// A drop is the time from when the fewest pods were available until the autoscaler wrote another size.
type drop struct{ from, to time.Time }

// reapplied applies a manifest to the app at v1. It returns when the manifest's version serves with the final number of pods, or
// does not in time, and every pod of another version is gone. It notes what became of the size in between, and when.
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
		if written == 0 && s.Deployments[d.Name].Generation > d.Generation { // only the autoscaler writes the spec
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

// available returns how many pods are ready and not being deleted.
func available(s observe.State) int { return s.Available("v1") + s.Available("v2") }

// rescaleMessages returns the autoscaler's messages about the sizes that it set, as soon as the awaited one is among them, or when it has
// had the time for one more look: Events are written later than what they report.
func rescaleMessages(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object, awaited func(string) bool) (said []string) {
	since := time.Now()
	harness.Check(poll.Until(ctx, time.Second, func() (bool, error) {
		said = nil
		for _, e := range steps.Events(ctx, autoscaler, "SuccessfulRescale") {
			said = append(said, e.Message)
		}
		return slices.ContainsFunc(said, awaited) || time.Since(since) > betweenLooks, nil
	}))
	return said
}
