package switchover

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// deleted: an app is taken down, with pods that sleep 10 s before they get SIGTERM. As long as the Service is there, nodes lead to
// them for want of others (KEP-1669). Without it nobody does, though they serve on: whatever deletes the Service with the rest leaves
// nothing that a drain could be for. New connections fail from then on: for all of the sleep and until the load ends, 3 s after the
// pods, less what nodes take to follow. That grows with the pace of the machine, as the sleep does, and the 3 s do not: so half of it.
func deleted() []harness.Scenario {
	const sleep = 10 * time.Second
	return harness.Scenario{
		App:    fixtures.App{Replicas: 2, PreStopSleep: sleep, OnTerm: fixtures.Drain},
		Load:   harness.Load{Rate: 50},
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1")},
	}.Twins(harness.Twin{
		ID:     "deleted-before-service",
		Claim:  "pods of a Deployment that is deleted serve until SIGTERM as long as their Service is there",
		Change: func(s *harness.Scenario) { s.Rollout = rollout.Deleted("v1") },
		Expect: []evidence.Expectation{verdict.ServesUntilSigterm(), verdict.LostWhileNoneServes(evidence.Refused)},
	}, harness.Twin{
		ID:     "deleted-with-service",
		Claim:  "deleting the Service with its Deployment fails new connections at once, while pods sleep for 10 s in vain",
		Change: func(s *harness.Scenario) { s.Rollout = rollout.DeletedWithService("v1") },
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Fresh), verdict.MinOutage(sleep / 2).Scaled().On(evidence.Fresh)},
	})
}
