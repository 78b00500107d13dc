package termination

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// endpoints: what the EndpointSlice says of a pod from its deletion on (endpointslice v0.36.3, utils.go, podToEndpoint). It is the
// Service's last endpoint: kube-proxy still uses it while it is serving, though not ready (KEP-1669). Whether it is seen as not
// serving between the end of its process and its own end depends on whether a readiness probe falls in between.
func endpoints() []harness.Scenario {
	app := fixtures.App{PreStopSleep: 3 * time.Second, Linger: 5 * time.Second, OnTerm: fixtures.Drain}
	failing := app
	failing.FailReadinessOnTerm = true

	listed := app
	listed.Linger = 0

	left := verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 2*time.Second).Decides("C36")
	said := func(either ...string) evidence.Expectation { return verdict.Fact(conditions, either...).Decides("C36") }
	return []harness.Scenario{
		ending{app: app}.scenario("endpoint-serving",
			"the last endpoint of a Service stops being ready when its pod is deleted, and is serving until its pod ends",
			left,
			verdict.Fact(podEvents, "MODIFIED deletionTimestamp, MODIFIED phase Succeeded, DELETED").Decides("C35"),
			verdict.Between(evidence.PodExited, evidence.PodUnready, 0, 4*time.Second),
			said("TTF FTT gone", "TTF FTT FFT gone")),
		ending{app: failing}.scenario("endpoint-failing-readiness",
			"the last endpoint of a Service stops serving, while its pod runs on, when its app fails its readiness on SIGTERM",
			left,
			verdict.Between(evidence.PodSigterm, evidence.PodUnready, 0, 4*time.Second),
			verdict.Between(evidence.PodUnready, evidence.PodExited, time.Second, 5*time.Second),
			said("TTF FTT FFT gone")),
		ending{app: listed, change: published}.scenario("endpoint-published",
			"an endpoint of a Service that publishes pods that are not ready is ready until its pod ends",
			verdict.Between(evidence.PodExited, evidence.EndpointNotReady, 0, 4*time.Second),
			said("TTF TTT gone", "TTF TTT TFT gone")),
	}
}

func published(service *corev1.Service, _ *corev1.Pod) { service.Spec.PublishNotReadyAddresses = true }
