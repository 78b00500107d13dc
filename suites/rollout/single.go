package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// single: with one pod the limits of 25 % amount to a surge of 1 and none unavailable, so that there is a second pod while it is
// replaced. Without the surge the pod goes before its successor starts. It serves while it ends, since there is no other
// (KEP-1669), for a sleep of 5 s and a drain of 2 s, at most 3 s late; its successor listens after 15 s. Of the time in between,
// the client's last requests may wait for up to their timeout, and be answered. For Recreate see statusgap/recreate.
func single() []harness.Scenario {
	const startup, stop = 15 * time.Second, 10 * time.Second
	app := fixtures.App{Replicas: 1, StartDelay: startup, MinReady: time.Second}
	drains(&app)
	return harness.Update(harness.Scenario{
		App:  app,
		Kind: harness.UnderLoad{Rate: 50}, // for one pod
	}).Twins(harness.Twin{
		ID:     "single-surged",
		Claim:  "replacing the only pod of an app fails no request with the limits that Deployments have by themselves, and a drain",
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.MinAvailable(1)},
	}, harness.Twin{
		ID:    "single-unsurged",
		Claim: "replacing the only pod of an app without a surge costs an outage when its successor takes longer to start than it takes to stop",
		Change: func(s *harness.Scenario) {
			s.App.MaxSurge, s.App.MaxUnavailable = new(intstr.FromInt32(0)), new(intstr.FromInt32(1))
		},
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(startup - stop - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
		},
	})
}
