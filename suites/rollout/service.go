package rollout

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// ofService: fields of a Service that undo what a drain does.
//
// With publishNotReadyAddresses an endpoint is ready from when its pod has an address until the pod has ended, so that no sleep drains
// it, and nodes send to new pods 3 s before they listen. At 6 requests a second, the fewest that a lane sends, each node sends 18 in
// these 3 s, each to one of at most 4 pods: none of two nodes is to the new one once in (4/3)^36, 30,000 times, per pod.
//
// With sessionAffinity a node goes on sending a client to its pod until the pod is no endpoint any more (Kubernetes v1.37,
// pkg/proxy/iptables/proxier.go, which uses affinity for ready endpoints alone): a drained rollout loses none, and each client is
// answered by one pod at a time.
func ofService() []harness.Scenario {
	app := fixtures.Drained()
	app.StartDelay = 3 * time.Second
	return harness.Update(harness.Scenario{App: app}).Twins(harness.Twin{
		ID:     "unready-published",
		Claim:  "a Service that publishes pods that are not ready fails requests in a rollout of pods that drain: it sends to them before they listen",
		Change: func(s *harness.Scenario) { s.App.PublishUnready = true },
		Expect: []evidence.Expectation{verdict.LostTo(timeline.StageNotListening).On(evidence.Fresh)},
	}, harness.Twin{
		ID:     "unready-unpublished",
		Claim:  "a Service that leads to ready pods alone fails no request in the same rollout",
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:    "affine-drained",
		Claim: "a Service with sessionAffinity fails no request when pods sleep 5 s before they get SIGTERM, and then drain",
		Change: func(s *harness.Scenario) {
			s.App.Affinity = true
		},
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:    "affine-undrained",
		Claim: "a Service with sessionAffinity fails every new connection of a client whose pod has ended, until the nodes' rules follow",
		Change: func(s *harness.Scenario) {
			s.App.Affinity = true
			exits(&s.App)
		},
		Expect: []evidence.Expectation{verdict.LostTo(timeline.StageStaleEndpoint).On(evidence.Fresh)},
	})
}
