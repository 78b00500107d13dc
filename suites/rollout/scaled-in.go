package rollout

import (
	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// scaledIn: four of six pods are removed at once, as an autoscaler does when the load is over. Replies take 0.5 s: of 6 requests a
// second, the fewest that a lane sends, 3 are in flight. On kept connections each of them is to one of the 4 pods with a chance of
// 2 in 3, so that none is once in 3^3; the lanes of both nodes miss once in 3^6, 700 times, per try.
func scaledIn() []harness.Scenario {
	return withAndWithoutDrain(harness.Scenario{
		App:    fixtures.App{Replicas: 6, PreStopSleep: shortSleep, HandlerDelay: slowReply},
		Kind:   harness.UnderLoad{Rollout: rollout.ScaledIn("v1", 2)},
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1"), verdict.MinAvailable(2)},
	}, "scaled-in", "scaling from six pods to two", "pods sleep 1 s before SIGTERM, and then exit at once")
}
