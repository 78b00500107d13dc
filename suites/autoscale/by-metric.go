package autoscale

import (
	"context"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

// sizesGiven is a fact: the sizes that the autoscaler set after the apply, in its own words.
const sizesGiven = "sizes that the autoscaler gave"

// byMetric is reapply-below-the-minimum with an autoscaler whose metric asks for 12 pods. The metric is constant, so that only the
// apply changes the size. The autoscaler restores its minimum without a look at metrics, and looks at them 15 s later.
func byMetric() harness.Scenario {
	const live, least, replicas = 12, 6, 1
	return harness.Scenario{
		ID: "reapply-below-the-minimum-by-metric",
		Claim: "applying a manifest that names 1 replica leaves 1 of the 12 pods that an autoscaler arrived at by a metric, until it has " +
			"restored its minimum of 6, and then 12",
		Profile: harness.Core,
		Uses:    []string{cluster.ClusterChanges}, // the API of external metrics belongs to the whole cluster
		Lasts:   time.Minute,
		Steps: func(ctx context.Context, steps *harness.Steps) {
			serveMetric(ctx, steps, live)
			clientSide(ctx, steps, manifest(steps, "v1", new(int32(replicas))))
			scaled(ctx, steps, live)
			autoscaler := harness.Must(steps.Client.AutoscalingV2().HorizontalPodAutoscalers(steps.Namespace).Create(ctx,
				fixtures.App{}.AutoscalerByMetric(steps.Into, least, most), metav1.CreateOptions{}))
			lookedFirst(ctx, steps, autoscaler)
			reapplied(ctx, steps, clientSide, manifest(steps, "v2", new(int32(replicas))), live)
			noteSizes(ctx, steps, autoscaler)
		},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
			verdict.Fact(sizesGiven, "New size: 6, New size: 12").Decides("C11.minimum", "C11.size"),
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
