package autoscale

import (
	"context"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Facts about an app whose load has ended.
const (
	loadLeft      = "metric per pod, of which 1 is aimed at"
	heldBack      = "what the autoscaler says of its size"
	sizeHeld      = "replicas then"
	sizeAfter     = "replicas without the window"
	untilShrunkTo = "from the end of the window to the minimum"
)

// shrink: an autoscaler does not follow the end of the load at once. It gives the largest of the sizes that it found right in the last 5
// minutes (--horizontal-pod-autoscaler-downscale-stabilization; Kubernetes v1.37.2, pkg/controller/podautoscaler/horizontal.go,
// stabilizeRecommendation), and says so in a condition. The scenario does not wait for these 5 minutes: it takes the window away instead.
// The load is an external metric, which falls from 4 to 1. For an app that is under load see underLoad, and for what its clients lose when
// pods are removed, rollout/scaled-in-undrained.
func shrink() harness.Scenario {
	const busy, idle = 4, 1
	return harness.Scenario{
		ID: "shrink-stabilized",
		Claim: "an autoscaler keeps the 4 pods of an app whose load has ended, and says ScaleDownStabilized, for 5 minutes by default, which are not " +
			"waited for; without that window it leaves 1 at its next look",
		Uses:      []string{cluster.ClusterChanges}, // the API of external metrics belongs to the whole cluster
		Exclusive: true,                             // and byMetric serves it too
		Kind: harness.InSteps{Lasts: 90 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			serveMetric(ctx, steps, busy)
			clientSide(ctx, steps, manifest(steps, "v1", new(int32(idle))))
			autoscalers := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace)
			autoscaler := harness.Must(autoscalers.Create(ctx, fixtures.App{}.AutoscalerByMetric(steps.Into, idle, most), metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return serves(s, "v1", busy) })
			replaceMetric(ctx, steps, idle)
			harness.Check(poll.Until(ctx, time.Second, func() (bool, error) {
				live, err := autoscalers.Get(ctx, autoscaler.Name, metav1.GetOptions{})
				if err == nil {
					autoscaler = live
				}
				each := metricPerPod(autoscaler)
				return each > 0 && each < 1, err
			}))
			noteHeldBack(ctx, steps, autoscaler)
			withoutWindow(ctx, steps, autoscaler)
			ended := time.Now()
			steps.Within(ctx, restores, func(s observe.State) bool { return serves(s, "v1", idle) })
			steps.Note(untilShrunkTo, time.Since(ended))
			steps.Note(sizeAfter, replicas(ctx, steps))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(loadLeft, "0.25"),
			verdict.Fact(heldBack, "ScaleDownStabilized"),
			verdict.Fact(sizeHeld, "4"),
			verdict.Fact(sizeAfter, "1"),
			verdict.FactWithin(untilShrunkTo, 0, restores),
		},
	}
}

// replaceMetric has the external metric served with another value.
func replaceMetric(ctx context.Context, steps *harness.Steps, value int32) {
	pods := steps.Client.CoreV1().Pods(steps.Namespace)
	serving := labels.Set(fixtures.MetricService(steps.Into).Spec.Selector).String()
	harness.Check(pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: serving}))
	harness.Must(pods.Create(ctx, fixtures.MetricPod(steps.Into, value), metav1.CreateOptions{}))
}

// metricPerPod returns what an autoscaler read of the external metric when it looked last, per pod, or 1, its aim, if it has read nothing.
// Of a workload whose status had no pods yet it is below 0: the metric divided by none, as an integer (Kubernetes v1.37.2,
// pkg/controller/podautoscaler/replica_calculator.go, GetExternalPerPodMetricReplicas).
func metricPerPod(autoscaler *autoscalingv2.HorizontalPodAutoscaler) float64 {
	for _, m := range autoscaler.Status.CurrentMetrics {
		if m.External != nil && m.External.Current.AverageValue != nil {
			return m.External.Current.AverageValue.AsApproximateFloat64()
		}
	}
	return 1
}

// noteHeldBack notes what an autoscaler read, what it made of that, and the app's size. An autoscaler writes the first two together.
func noteHeldBack(ctx context.Context, steps *harness.Steps, autoscaler *autoscalingv2.HorizontalPodAutoscaler) {
	steps.Note(loadLeft, metricPerPod(autoscaler))
	for _, c := range autoscaler.Status.Conditions {
		if c.Type == autoscalingv2.AbleToScale {
			steps.Note(heldBack, c.Reason)
		}
	}
	steps.Note(sizeHeld, replicas(ctx, steps))
}

// withoutWindow has an autoscaler follow its metrics down at once.
func withoutWindow(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object) {
	autoscalers := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace)
	harness.Must(rollout.Edit(ctx, autoscalers, autoscaler.GetName(), func(live *autoscalingv2.HorizontalPodAutoscaler) {
		live.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: new(int32(0))}}
	}))
}
