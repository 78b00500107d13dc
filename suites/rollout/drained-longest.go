package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// drainedLongest: all pods at once, so that a sleep of 30 s costs 30 s and not three times as much. Twin of
// control/undrained-rolling-update, like drained-rolling-update.
func drainedLongest() harness.Scenario {
	const drain = 30 * time.Second
	return harness.Scenario{
		ID:    "drained-longest",
		Claim: "replacing every pod at once fails no request when pods sleep 30 s before they get SIGTERM, and then answer with Connection: close",
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromString("100%")), MaxUnavailable: new(intstr.FromInt32(0)),
			PreStopSleep: drain, Grace: drain + 10*time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: 100},
		Rollout: rollout.Update("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().Decides("C40"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MinAvailable(3).Decides("C16"),
			verdict.MaxPods(6).Decides("C16"),
			verdict.MaxDrainLag(5 * time.Second),
			verdict.RulesBeforeSigterm(),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
