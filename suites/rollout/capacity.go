package rollout

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

// byDefault: four pods with the limits that a Deployment has by itself, 25 % each: surge is rounded up and unavailable down (Kubernetes
// v1.37.2, pkg/controller/deployment/util/deployment_util.go, ResolveFenceposts), so that 3 of the 4 have to serve all. At the full rate of
// 100 requests a second the 5 lanes to the Service have 250 requests in flight: 83 in each of 3 pods, which answer 160 at a time and others
// with 503, and too many for one. rollout/fenceposts-four-quarter-quarter is the same without load, and
// autoscale/reapply-the-same-size-by-default beside an autoscaler.
func byDefault() []harness.Scenario {
	const replicas, percent = 4, 25
	const surge, unavailable = (replicas*percent + 99) / 100, replicas * percent / 100
	return withAndWithoutDrain(harness.Update(harness.Scenario{
		App: fixtures.App{
			Replicas: replicas, MinReady: time.Second, PreStopSleep: shortSleep, HandlerDelay: slowReply, Concurrency: 160,
		},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:1", "v1:3", "v2:2").Decides("C10"),
			verdict.MinAvailable(replicas - unavailable).Decides("C10"),
			verdict.MaxActive(replicas + surge).Decides("C10"),
		},
	}), "default-limits", "replacing four pods with the limits of 25 % that a Deployment has by itself, which keep three available,",
		"pods sleep 1 s, get SIGTERM and exit at once")
}

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

// single: with one pod the limits of 25 % amount to a surge of 1 and none unavailable, so that there is a second pod while it is
// replaced. Without the surge the pod goes before its successor starts. It serves while it ends, since there is no other
// (KEP-1669), for a sleep of 5 s and a drain of 2 s, at most 3 s late; its successor listens after 15 s. Of the time in between,
// the client's last requests may wait for up to their timeout, and be answered. For Recreate see statusgap/recreate.
func single() []harness.Scenario {
	const startup, stop = 15 * time.Second, 10 * time.Second
	app := fixtures.App{Replicas: 1, StartDelay: startup, MinReady: time.Second}
	app.AddDrain()
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
