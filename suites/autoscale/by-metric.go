package autoscale

import (
	"context"
	"regexp"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Facts: the sizes that the autoscaler set after the apply, in its own words, and what became of 4 pods with a minimum of 1.
const (
	sizesGiven    = "sizes that the autoscaler gave"
	fewestOfFour  = "fewest available pods of 4"
	restoredFour  = "replicas that the autoscaler restored of 4"
	untilRestored = "from the apply to the autoscaler's write with a minimum of 1"
)

// byMetric is reapply-below-the-minimum with an autoscaler whose metric asks for 12 pods. The metric is constant, so that only the
// apply changes the size. The autoscaler restores its minimum without a look at metrics, and looks at them 15 s later. Then it gets the
// bounds 1 and 4, cuts the app to 4 pods, and the manifest is applied again: of a minimum of 1 it restores nothing, and of the 3 missing
// pods all when it looks at the metric.
func byMetric() harness.Scenario {
	const live, least, replicas = 12, 6, 1
	return harness.Scenario{
		ID: "reapply-below-the-minimum-by-metric",
		Claim: "applying a manifest that names 1 replica leaves 1 of the 12 pods that an autoscaler arrived at by a metric, until it has " +
			"restored its minimum of 6, and then 12; of 4 pods and a minimum of 1 it restores 4",
		Profile: harness.Core,
		Uses:    []string{cluster.ClusterChanges}, // the API of external metrics belongs to the whole cluster
		Kind: harness.InSteps{Lasts: 90 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			serveMetric(ctx, steps, live)
			clientSide(ctx, steps, manifest(steps, "v1", new(int32(replicas))))
			scaled(ctx, steps, live)
			autoscaler := harness.Must(steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace).Create(ctx,
				fixtures.App{}.AutoscalerByMetric(steps.Into, least, most), metav1.CreateOptions{}))
			lookedFirst(ctx, steps, autoscaler)
			reapplied(ctx, steps, clientSide, manifest(steps, "v2", new(int32(replicas))), live)
			noteSizes(ctx, steps, autoscaler)
			cutTo(ctx, steps, autoscaler, "v2", scaledUpSize)
			noteRestored(ctx, steps, manifest(steps, "v1", new(int32(replicas))), scaledUpSize)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
			verdict.Fact(sizesGiven, "New size: 6, New size: 12").Decides("C11.minimum", "C11.size"),
			verdict.Fact(fewestOfFour, "1").Counting(evidence.FewestAvailable).Decides("C13.kills"),
			verdict.Fact(restoredFour, "4").Decides("C13.size"),
			verdict.FactWithin(untilRestored, 0, betweenLooks),
		},
	}
}

// serveMetric serves the external metric until the steps end, and returns when autoscalers can ask for it.
func serveMetric(ctx context.Context, steps *harness.Steps, value int32) {
	harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Create(ctx, fixtures.MetricService(steps.Into), metav1.CreateOptions{}))
	harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).Create(ctx, fixtures.MetricPod(steps.Into, value), metav1.CreateOptions{}))
	const services = "/apis/apiregistration.k8s.io/v1/apiservices"
	api, service := steps.Client.Discovery().RESTClient(), fixtures.MetricAPI(steps.Into)
	harness.Check(api.Post().AbsPath(services).Body(harness.Must(service.MarshalJSON())).Do(ctx).Error())
	steps.Cleanup(func(ctx context.Context) error {
		return api.Delete().AbsPath(services, service.GetName()).Do(ctx).Error()
	})
	path := "/apis/external.metrics.k8s.io/v1beta1/namespaces/" + steps.Namespace + "/" + fixtures.Metric
	harness.Check(poll.Until(ctx, time.Second, func() (bool, error) { return api.Get().AbsPath(path).Do(ctx).Error() == nil, nil }))
}

var sizeGiven = regexp.MustCompile(`New size: \d+`)

// noteSizes notes which sizes the autoscaler says that it set, up to the first one by the metric.
func noteSizes(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object) {
	var sizes []string
	for _, said := range rescaleMessages(ctx, steps, autoscaler, fixtures.Metric) {
		sizes = append(sizes, sizeGiven.FindString(said))
	}
	steps.Note(sizesGiven, strings.Join(sizes, ", "))
}

// cutTo gives the autoscaler the bounds 1 and most, and returns when the app at a version has so many pods: the autoscaler has just
// looked, since it was it that wrote the size.
func cutTo(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object, version string, most int32) {
	autoscalers := steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace)
	harness.Must(rollout.Edit(ctx, autoscalers, autoscaler.GetName(), func(live *autoscalingv2.HorizontalPodAutoscaler) {
		live.Spec.MinReplicas, live.Spec.MaxReplicas = new(int32(1)), most
	}))
	steps.Until(ctx, func(s observe.State) bool { return serves(s, version, most) })
}

// noteRestored applies a manifest with fewer replicas than the app has, and notes the fewest available pods and what the autoscaler
// makes of the size.
func noteRestored(ctx context.Context, steps *harness.Steps, next *appsv1.Deployment, live int32) {
	applied := time.Now()
	d := clientSide(ctx, steps, next)
	fewest, size, written := int(live), *d.Spec.Replicas, time.Duration(0)
	steps.Within(ctx, restores, func(s observe.State) bool {
		fewest = min(fewest, available(s))
		if now := s.Deployments[d.Name]; written == 0 && now.Generation > d.Generation { // only the autoscaler writes the spec
			size, written = *now.Spec.Replicas, time.Since(applied)
		}
		return written > 0 && serves(s, next.Spec.Template.Labels[fixtures.VersionLabel], size)
	})
	steps.Note(fewestOfFour, fewest)
	steps.Note(restoredFour, size)
	steps.Note(untilRestored, written)
}
