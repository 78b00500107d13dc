package dataplane

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// severalSlices: with 2 endpoints in a slice, the 6 to 8 of an app are in 4 slices, as more than 100 are in 2 by default. They change one
// after the other, and kube-proxy sees states between. What drains loses nothing by that; what exits at once loses what is in flight, as
// with one.
func severalSlices() []harness.Scenario {
	return harness.Update(harness.Scenario{
		App:            fixtures.App{Replicas: 6, MinReady: time.Second, HandlerDelay: 500 * time.Millisecond},
		ClusterChanges: []cluster.Change{change.EndpointsPerSlice(2)},
		Expect:         []evidence.Expectation{verdict.MinAvailable(5), verdict.MaxActive(8)},
	}).Twins(harness.Twin{
		ID:    "several-slices-drained",
		Claim: "replacing pods whose endpoints are in several EndpointSlices fails no request when they sleep 5 s before SIGTERM, and then drain",
		Change: func(s *harness.Scenario) {
			s.App.AddDrain()
		},
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:     "several-slices-undrained",
		Claim:  "replacing pods whose endpoints are in several EndpointSlices fails requests on kept connections when they exit at SIGTERM",
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Reused)},
	})
}
