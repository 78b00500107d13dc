package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// deleteAndApply: apps that exit at once are gone long before their successors are ready. All pods end and start at
// once: with three of them and 100 requests per second and lane a 2-core host did not keep up for a second, and said so.
// The garbage collector and kubelets, by which the old pods end, do not wait for the new ones, nor these for them: the old ones may
// be there for 3 s of the new ones' start, of which a kubelet, which looks for pods to stop once a second, takes one. The outage is
// over when new ones have started, for which they have as long as on the slowest cluster whose times are not stretched.
// Twin of delete-and-apply-drained.
func deleteAndApply() harness.Scenario {
	const startup, stop = 5 * time.Second, 3 * time.Second
	return harness.Scenario{
		ID:      "delete-and-apply",
		Profile: harness.Core,
		Claim:   "deleting a Deployment and applying the next one costs an outage when pods exit at once and their successors take 5 s to start",
		App: fixtures.App{
			Replicas: 2, StartDelay: startup, OnTerm: fixtures.Exit,
		},
		Load:    harness.Load{Rate: 50},
		Rollout: rollout.DeleteAndApply("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.LostWhileNoneServes(evidence.Refused).Decides("C30"),
			verdict.Pause(startup-stop, startup+harness.UsualPodStart+harness.UsualRuleLag).Scaled().Decides("C30"),
			verdict.MinOutage(startup - stop).Scaled().On(evidence.Fresh).Decides("C30"),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
