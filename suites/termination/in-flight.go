package termination

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// inFlight: a drain awaits what is under way, and the grace ends the drain. Replies take 6 s. On kept connections requests come until
// SIGTERM, 5 s after the deletion, so that the last reply is due after 11 s: a grace of 8 s cuts off all that were sent in the last
// 3 s before SIGTERM, 6 even of a lane that sends 2 a second, 2 of them to each of 3 pods. A new connection is made to a pod that
// ends for 1.5 s at most, and is answered within 8 s.
func inFlight() []harness.Scenario {
	const drain, reply = 5 * time.Second, 6 * time.Second
	return harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			PreStopSleep: drain, HandlerDelay: reply, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: 20, Timeout: reply + 4*time.Second, Settle: reply + 5*time.Second}, // 60 under way on each lane
		Rollout: rollout.Update("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().On(evidence.Fresh),
		},
	}.Twins(harness.Twin{
		ID:     "in-flight-finished",
		Claim:  "requests that take 6 s are all answered when pods have 30 s to end, of which 5 s are a sleep",
		Change: func(s *harness.Scenario) { s.App.Grace = 30 * time.Second },
		Expect: []evidence.Expectation{verdict.NoLostReplies()},
	}, harness.Twin{
		ID:     "in-flight-cut",
		Claim:  "requests that take 6 s are cut off on kept connections when pods have 8 s to end, of which 5 s are a sleep",
		Change: func(s *harness.Scenario) { s.App.Grace = 8 * time.Second },
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Reused)},
	})
}
