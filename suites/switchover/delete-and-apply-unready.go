package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// deleteAndApplyUnready: kube-proxy falls back to terminating pods that still serve, by their readiness. An app that
// fails its readiness when it gets SIGTERM, as is often advised, gives that up. It serves on for long enough,
// and is asked by nobody. Seen from outside, where a proxy holds the client's connection: 418 requests reached a new pod
// after their client had given up. Twin of delete-and-apply-drained.
func deleteAndApplyUnready() harness.Scenario {
	// Garbage collector and kubelet do not wait for the new pods, and the readiness probe fails a second later.
	const startup, stop = 7 * time.Second, 4 * time.Second
	return harness.Scenario{
		ID: "delete-and-apply-unready",
		Claim: "deleting a Deployment and applying the next one costs an outage when pods fail their readiness while they end, " +
			"and their successors take 7 s to start",
		App: fixtures.App{
			Replicas: 2, StartDelay: startup, Grace: 40 * time.Second, Linger: 20 * time.Second, OnTerm: fixtures.Drain, FailReadinessOnTerm: true,
		},
		Load:    harness.Load{Rate: 50},
		Rollout: rollout.DeleteAndApply("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(startup-stop).Scaled().On(evidence.Fresh).Decides("C38", "C30"),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
