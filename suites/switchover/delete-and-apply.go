package switchover

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// deleteAndApply: all pods end and start at once. With three pods and 100 requests per second and lane a 2-core host did not keep
// up for a second, and the recording was distrusted.
//
// Apps that exit at once are gone long before their successors are ready. The garbage collector and the kubelets, which end the old
// pods, do not wait for the new ones, nor the other way round: the old pods may still be there for 3 s of the new ones' start, 1 s
// of which is due to the kubelet, which looks once a second for pods to stop. The outage is over when new pods have started, for
// which they have as long as on the slowest cluster whose times are not stretched.
//
// When every endpoint is terminating, kube-proxy still uses those that serve (KEP-1669), so a preStop sleep longer than the next
// pods take to start covers the gap. It goes by their readiness. An app that fails its readiness on SIGTERM, as is often advised,
// gives that up: it serves for long enough, but gets no requests. Seen from outside, where a proxy holds the client's connection:
// 418 requests reached a new pod after their client had given up. The readiness probe fails a second later.
//
// If the Service is in the same file, pods that sleep until their successors are ready do not help the clients of a Service that is
// gone. The new Service has another address, and clients with the old one fail.
func deleteAndApply() []harness.Scenario {
	const startup, stop = 5 * time.Second, 3 * time.Second
	const longer, unready = 7 * time.Second, 4 * time.Second
	const outage = 10 * time.Second // as long as the load continues
	const asleep = 12 * time.Second // successors are in the rules after StartDelay, UsualPodStart and UsualRuleLag: 10.5 s
	return harness.Update(harness.Scenario{
		App:  fixtures.App{Replicas: 2, StartDelay: startup, Linger: 2 * time.Second, OnTerm: fixtures.Drain},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.DeleteAndApply("v1", "v2")},
	}).Twins(harness.Twin{
		ID:     "delete-and-apply",
		Claim:  "deleting a Deployment and applying the next one costs an outage when pods exit at once and their successors take 5 s to start",
		Change: func(s *harness.Scenario) { s.App.Linger, s.App.OnTerm = 0, fixtures.Exit },
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused).Decides("C30.undrained"),
			verdict.Pause(startup-stop, startup+harness.UsualPodStart+harness.UsualRuleLag).Scaled().Decides("C30.undrained"),
			verdict.MinOutage(startup - stop).Scaled().On(evidence.Fresh).Decides("C30.undrained"),
		},
	}, harness.Twin{
		ID:    "delete-and-apply-drained",
		Claim: "deleting a Deployment and applying the next one fails no request when pods sleep until their successors are ready",
		Change: func(s *harness.Scenario) {
			s.App.StartDelay, s.App.PreStopSleep, s.App.Grace = 3*time.Second, asleep, 40*time.Second
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().Decides("C30.drained", "C38"),
			verdict.ServesUntilSigterm().Decides("C38"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
		},
	}, harness.Twin{
		ID: "delete-and-apply-unready",
		Claim: "deleting a Deployment and applying the next one costs an outage when pods fail their readiness while they end, " +
			"and their successors take 7 s to start",
		Change: func(s *harness.Scenario) {
			s.App.StartDelay, s.App.Linger, s.App.Grace, s.App.FailReadinessOnTerm = longer, 20*time.Second, 40*time.Second, true
		},
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(longer - unready).Scaled().On(evidence.Fresh).Decides("C38"),
		},
	}, harness.Twin{
		ID:     "delete-and-apply-all",
		Claim:  "deleting and applying the Service too fails the requests of everybody who knows its address, drained pods or not",
		Change: func(s *harness.Scenario) { s.App.StartDelay, s.App.PreStopSleep = 0, 5*time.Second },
		Kind:   harness.UnderLoad{Rate: 50, Settle: outage, Rollout: rollout.DeleteAndApplyAll("v1", "v2")},
		Expect: []evidence.Expectation{verdict.DamageSeen(), verdict.MinOutage(outage)}, // until the load ends
	})
}
