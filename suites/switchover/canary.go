package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// canary: kube-proxy draws a pod for each new connection, so the canary's part of them is its part of the pods, give
// or take what chance does to so many draws. Keep-alive connections stay with the pod they were drawn for.
func canary() harness.Scenario {
	return harness.Scenario{
		ID:      "canary",
		Claim:   "one canary beside three pods is given a quarter of the new connections, and no request fails",
		Covers:  []string{"C18"},
		App:     fixtures.App{Replicas: 3, OnTerm: fixtures.Drain},
		Load:    harness.Load{Rate: 100, Settle: 20 * time.Second},
		Rollout: rollout.Canary("v1", "v2", 1),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.Decides("C18", verdict.On(evidence.Fresh, verdict.Share("v2", 25, evidence.Barrier))),
			verdict.On(evidence.Reused, verdict.StillServes("v1", 50)),
		},
	}
}
