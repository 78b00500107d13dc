package autoscale

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// A reapply is a manifest that names replicas, applied by `kubectl apply` to an app to which an autoscaler has
// given another size.
type reapply struct {
	live     int32  // pods before
	least    int32  // the autoscaler's minReplicas
	replicas int32  // in the manifest, which always names them
	version  string // in the manifest; v1 is running
	keeps    bool   // the manifest allows no pod to be unavailable; else it has the limits that Deployments have by themselves
}

// reapplies: when a Deployment's size changes, it is first scaled, in one step and without the limits of the rollout, and then
// rolled out (Kubernetes v1.36.3, pkg/controller/deployment/deployment_controller.go, isScalingEvent). Seen: 11 of 12 pods were
// being deleted 0.1 to 1.5 s after the apply. The autoscaler wrote its minimum when it looked next; 6 pods were ready 3 to 11 s
// later, depending on how busy the machine was. The autoscaler and the Deployment controller do not wait for each other: a manifest
// below the minimum is applied when the autoscaler has just looked, so that the drop is over when it looks again 15 s later.
func reapplies() []harness.Scenario {
	return []harness.Scenario{{
		ID: "reapply-below-the-minimum",
		Claim: "applying a manifest that names 1 replica cuts 12 pods to 1 at once; " +
			"without metrics, the autoscaler restores its minimum at its next look",
		Kind: harness.InSteps{Do: reapply{live: 12, least: 6, replicas: 1, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1").Decides("C15.size"),
			verdict.Scaling("v1:1", "v2:1").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
			verdict.FactWithin("from the apply to the minimum again", 0, time.Minute),
			verdict.Fact(minimumMessage, "New size: 6; reason: Current number of replicas below Spec.MinReplicas").
				Decides("C11.minimum", "C15.floor"),
		},
	}, {
		ID: "reapply-unchanged",
		Claim: "reapplying the running manifest, which names 1 replica, rolls nothing out, " +
			"but cuts 12 pods to 1 until the autoscaler's next look",
		Kind: harness.InSteps{Do: reapply{live: 12, least: 6, replicas: 1, version: "v1"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v1:6").Decides("C11.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C11.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second),
			verdict.FactWithin("from the apply to the autoscaler's write", 0, betweenLooks),
		},
	}, {
		ID:    "reapply-at-the-minimum",
		Claim: "applying a manifest that names 1 replica cuts 4 pods to 1 at once; without metrics, an autoscaler whose minimum is 1 keeps that",
		Kind:  harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 1, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "1"),
			verdict.Scaling("v1:1", "v2:1").Decides("C13.kills"),
			verdict.Fact("fewest available pods", "1").Counting(evidence.FewestAvailable).Decides("C13.kills"),
			verdict.FactWithin("from the apply to the fewest", 0, 5*time.Second).Decides("C13.kills"),
			verdict.Fact(afterwards, "1").Needing(cluster.NoMetrics),
		},
	}, {
		ID: "reapply-the-same-size-by-default",
		Claim: "applying a manifest that names as many replicas as there are keeps the size of 4, of which 3 are available during the rolling " +
			"update with the limits that Deployments have by themselves",
		Kind: harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 4, version: "v2"}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "4").Decides("C14"),
			verdict.Scaling("v2:1", "v1:3", "v2:2").Decides("C14"),
			verdict.Fact("fewest available pods", "3").Counting(evidence.FewestAvailable).Decides("C14"), // no fewer, and no more
			verdict.MaxActive(5),
			verdict.Fact(afterwards, "4").Decides("C14").Needing(cluster.NoMetrics),
		},
	}, {
		ID: "reapply-the-same-size",
		Claim: "applying a manifest that names as many replicas as there are and allows none to be unavailable keeps them through the " +
			"rolling update, and without metrics after it",
		Kind: harness.InSteps{Do: reapply{live: 4, least: 1, replicas: 4, version: "v2", keeps: true}.run},
		Expect: []evidence.Expectation{
			verdict.Fact("replicas after the apply", "4"),
			verdict.Scaling("v2:1", "v1:3", "v2:2", "v1:2"),
			verdict.MinAvailable(4),
			verdict.MaxActive(5),
			verdict.Fact(afterwards, "4").Needing(cluster.NoMetrics),
		},
	}}
}

func (r reapply) run(ctx context.Context, steps *harness.Steps) {
	clientSide(ctx, steps, manifest(steps, "v1", &r.replicas))
	scaled(ctx, steps, r.live)
	autoscaler := autoscaled(ctx, steps, r.least)
	below := r.replicas < r.least
	if below {
		lookedFirst(ctx, steps, autoscaler)
	}
	next := manifest(steps, r.version, &r.replicas)
	if r.keeps {
		next.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxUnavailable: new(intstr.FromInt32(0))}
	}
	reapplied(ctx, steps, clientSide, next, max(r.least, r.replicas))
	if below {
		noteMinimumMessage(ctx, steps, autoscaler)
	} else {
		noteSize(ctx, steps)
	}
}

// minimumMessage is a fact: the autoscaler's message about the first size that it set when it found fewer pods than its minimum.
const minimumMessage = "the autoscaler's word"

// noteMinimumMessage notes the autoscaler's message about finding fewer pods than its minimum.
func noteMinimumMessage(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object) {
	for _, said := range rescaleMessages(ctx, steps, autoscaler, message.ToMinimum) {
		if message.ToMinimum(said) {
			steps.Note(minimumMessage, said)
			return
		}
	}
}

const afterwards = "replicas when the autoscaler has looked"

// noteSize notes the app's size after the autoscaler has looked once more.
func noteSize(ctx context.Context, steps *harness.Steps) {
	lookedAgain(ctx, steps)
	steps.Note(afterwards, replicas(ctx, steps))
}

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
//
// A user's autoscaler that keeps 6 to 30 pods at 70 % of CPU and of memory would need the API of metrics-server, and load for both. Of
// several metrics an autoscaler takes the one that asks for most (Kubernetes v1.37.2, pkg/controller/podautoscaler/horizontal.go,
// computeReplicasForMetrics), so that one which asks for 12 stands for them; its minimum it restores whatever they are.
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

// noteSizes notes which sizes the autoscaler says that it set, up to the first one by the metric.
func noteSizes(ctx context.Context, steps *harness.Steps, autoscaler metav1.Object) {
	var sizes []string
	byMetric := func(said string) bool { return message.ByMetric(said, fixtures.Metric) }
	for _, said := range rescaleMessages(ctx, steps, autoscaler, byMetric) {
		size := message.Of("HorizontalPodAutoscaler", "SuccessfulRescale", said).Size
		sizes = append(sizes, fmt.Sprintf("New size: %d", size))
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
