package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// unavailable: two of four pods are away at a time. In each step half of the pods end together, without replacements, and so does
// half of what is in flight on kept connections: see scaledIn.
func unavailable() []harness.Scenario {
	return withAndWithoutDrain(harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: 4, MaxSurge: new(intstr.FromInt32(0)), MaxUnavailable: new(intstr.FromInt32(2)), MinReady: time.Second,
			PreStopSleep: shortSleep, HandlerDelay: slowReply,
		},
		Expect: []evidence.Expectation{verdict.MinAvailable(2), verdict.MaxActive(4)},
	}), "unavailable", "replacing two of four pods at a time", "pods sleep 1 s, get SIGTERM and exit at once")
}
