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

// oneByOne: four pods that take 5 s to start, replaced one after the other. Twin of all-at-once.
func oneByOne() harness.Scenario {
	const startup = 5 * time.Second
	return harness.Scenario{
		ID:      "one-by-one",
		Profile: harness.Core,
		Claim:   "replacing pods one by one has new connections answered by both versions for as long as all but one of them take to start",
		App: fixtures.App{
			Replicas: 4, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			MinReady: time.Second, StartDelay: startup, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: 100},
		Rollout: rollout.Update("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().Decides("C32.probed"),
			verdict.NoSlowReplies(),
			verdict.MinMixedWindow(3 * startup).Scaled().On(evidence.Fresh).Decides("C17.one-by-one"),
			verdict.Mixes(1).Decides("C18"),
			verdict.MinAvailable(4),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
