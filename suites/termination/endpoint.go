package termination

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// endpoints: what the EndpointSlice says of a pod from its deletion on (endpointslice v0.36.3, utils.go, podToEndpoint). It is
// the Service's last one: kube-proxy goes on to use it while it is serving, though not ready (KEP-1669). Whether
// it is seen not serving between its process's end and its own depends on whether a readiness probe falls in between.
func endpoints() []harness.Scenario {
	app := fixtures.App{PreStopSleep: 3 * time.Second, Linger: 5 * time.Second, OnTerm: fixtures.Drain}
	failing := app
	failing.FailReadinessOnTerm = true

	listed := app
	listed.Linger = 0

	left := verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 2*time.Second).Decides("C36")
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim  string
		app        fixtures.App
		change     func(*corev1.Service, *corev1.Pod)
		conditions []string
		expect     []evidence.Expectation
	}{
		{id: "endpoint-serving",
			claim: "the last endpoint of a Service stops being ready when its pod is deleted, and is serving until its pod ends",
			app:   app, conditions: []string{"TTF FTT gone", "TTF FTT FFT gone"},
			expect: []evidence.Expectation{left,
				verdict.Fact(podEvents, "MODIFIED deletionTimestamp, MODIFIED phase Succeeded, DELETED").Decides("C35"),
				verdict.Between(evidence.PodExited, evidence.PodUnready, 0, 4*time.Second)}},
		{id: "endpoint-failing-readiness",
			claim: "the last endpoint of a Service stops serving, while its pod runs on, when its app fails its readiness on SIGTERM",
			app:   failing, conditions: []string{"TTF FTT FFT gone"},
			expect: []evidence.Expectation{left, verdict.Between(evidence.PodSigterm, evidence.PodUnready, 0, 4*time.Second),
				verdict.Between(evidence.PodUnready, evidence.PodExited, time.Second, 5*time.Second)}},
		{id: "endpoint-published", claim: "an endpoint of a Service that publishes pods that are not ready is ready until its pod ends",
			app: listed, change: published, conditions: []string{"TTF TTT gone", "TTF TTT TFT gone"},
			expect: []evidence.Expectation{verdict.Between(evidence.PodExited, evidence.EndpointNotReady, 0, 4*time.Second)}},
	} {
		said := verdict.Fact(conditions, row.conditions...).Decides("C36")
		scenarios = append(scenarios, ending{app: row.app, change: row.change}.scenario(row.id, row.claim,
			append(row.expect, said)...))
	}
	return scenarios
}

func published(service *corev1.Service, _ *corev1.Pod) { service.Spec.PublishNotReadyAddresses = true }
