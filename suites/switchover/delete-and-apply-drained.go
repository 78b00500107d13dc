package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// deleteAndApplyDrained: when every endpoint is terminating, kube-proxy goes on to use those that still serve
// (KEP-1669), so a preStop sleep longer than the next pods take to start covers the gap. Twin of
// delete-and-apply.
func deleteAndApplyDrained() harness.Scenario {
	return harness.Scenario{
		ID:    "delete-and-apply-drained",
		Claim: "deleting a Deployment and applying the next one fails no request when pods sleep until their successors are ready",
		App: fixtures.App{
			Replicas: 2, StartDelay: 3 * time.Second, PreStopSleep: 20 * time.Second, Grace: 40 * time.Second,
			Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: 50},
		Rollout: rollout.DeleteAndApply("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().Decides("C38"),
			verdict.ServesUntilSigterm().Decides("C38"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
