package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// deleteAndApplyAll: the Service stood in the same file. Pods that sleep until their successors are ready do not help
// the clients of a Service that is gone. The new one has another address, and who knows the old one is lost.
func deleteAndApplyAll() harness.Scenario {
	const outage = 10 * time.Second // as long as the load goes on
	return harness.Scenario{
		ID:    "delete-and-apply-all",
		Claim: "deleting and applying the Service too fails the requests of everybody who knows its address, drained pods or not",
		App: fixtures.App{
			Replicas: 2, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: 50, Settle: outage},
		Rollout: rollout.DeleteAndApplyAll("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.DamageSeen(),
			verdict.MinOutage(outage).Decides("C30"), // to the end of the load
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
