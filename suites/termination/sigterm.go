package termination

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// sigterm: an app that does not get SIGTERM, such as one behind a shell that does not pass it on, serves until SIGKILL at the end
// of its grace period. New connections are routed elsewhere long before. A kept connection stays with its pod, since nobody closes
// it, and its requests in flight are cut off. That is not left to chance: replies take 0.5 s, so that of 6 requests a second, the
// fewest that a lane sends, 3 are in flight at any time, each of them to one of 3 pods: none is to any of 3 pods that are killed,
// as two nodes see it, once in (3/2)^18, 1,400 times, per try.
func sigterm() []harness.Scenario {
	const drain, grace = 5 * time.Second, 10 * time.Second
	const lastWord, begin = 300 * time.Millisecond, time.Second // see graces
	return harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			PreStopSleep: drain, Grace: grace, HandlerDelay: 500 * time.Millisecond,
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().On(evidence.Fresh),
		},
	}).Twins(harness.Twin{
		ID:     "sigterm-heard",
		Claim:  "an app that answers with Connection: close after SIGTERM, and then drains, loses nothing that is under way when its pod ends",
		Change: func(s *harness.Scenario) { s.App.Linger, s.App.OnTerm = 2*time.Second, fixtures.Drain },
		Expect: []evidence.Expectation{verdict.NoFailures().On(evidence.Reused)},
	}, harness.Twin{
		ID:     "sigterm-ignored",
		Claim:  "an app that ignores SIGTERM loses what is under way on kept connections, no new one, and is killed when its grace is over",
		Change: func(s *harness.Scenario) { s.App.OnTerm = fixtures.Ignore },
		Expect: []evidence.Expectation{
			verdict.LostWhileTerminating().On(evidence.Reused),
			verdict.Between(evidence.PodSigterm, evidence.PodKilled, grace-drain-lastWord, grace-drain+begin).Scaled(),
		},
	})
}
