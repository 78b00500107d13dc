package statusgap

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// statefulSetUnavailable: if the API server knows maxUnavailable of a StatefulSet (see statefulSets), so many pods end together.
// Two of three leave one that serves. One at a time, the second would end and its successor start while the first new one and the
// third old one both answer; if two end together, both versions answer for less time. With all three nobody answers from when they
// have ended, at most 3 s apart, until a new one has started: each is made when the pod of its name is gone, and takes 6 s; the
// client's last requests of the outage may wait for up to their timeout.
func statefulSetUnavailable() []harness.Scenario {
	const startup, sleep, linger, apart = 6 * time.Second, 10 * time.Second, 2 * time.Second, 3 * time.Second
	return harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MinReady: 2 * time.Second, StartDelay: startup, PreStopSleep: sleep, Linger: linger,
			OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.UpdateStatefulSet("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			nameEndsFirst(),
			verdict.OnlyServes("v2", evidence.StatusDone),
		},
	}.Twins(harness.Twin{
		ID:     "stateful-set-unavailable-two",
		Claim:  "a StatefulSet that replaces two of three pods at a time fails no request of pods that drain",
		Change: func(s *harness.Scenario) { s.App.MaxUnavailable = new(intstr.FromInt32(2)) },
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.MinAvailable(1),
			verdict.MaxMixedWindow(sleep + linger + startup).Scaled().On(evidence.Fresh).Since("1.37"),
		},
	}, harness.Twin{
		ID:     "stateful-set-unavailable-all",
		Claim:  "a StatefulSet that replaces all of its pods at a time costs an outage, though they drain",
		Change: func(s *harness.Scenario) { s.App.MaxUnavailable = new(intstr.FromInt32(3)) },
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused).Since("1.37"),
			verdict.MinOutage(startup - apart - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh).Since("1.37"),
		},
	})
}
