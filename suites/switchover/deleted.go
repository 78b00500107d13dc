package switchover

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// deleted: an app is removed, with pods that sleep 10 s before they get SIGTERM. As long as the Service exists, nodes route to them
// since there are no others (KEP-1669). Without it no node does, though they still serve: if the Service is deleted with the rest,
// a drain is useless. From then on new connections fail, for the whole sleep and until the load ends, 3 s after the pods, less the
// time that nodes take to follow. That time grows with the pace of the machine, as the sleep does, but the 3 s do not: hence half
// of the sleep.
func deleted() []harness.Scenario {
	const sleep = 10 * time.Second
	return harness.Scenario{
		App:    fixtures.App{Replicas: 2, PreStopSleep: sleep, OnTerm: fixtures.Drain},
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1")},
	}.Twins(harness.Twin{
		ID:     "deleted-before-service",
		Claim:  "pods of a Deployment that is deleted serve until SIGTERM as long as their Service is there",
		Kind:   harness.UnderLoad{Rate: 50, Rollout: rollout.Deleted("v1")},
		Expect: []evidence.Expectation{verdict.ServesUntilSigterm(), verdict.LostWhileNoneServes(evidence.Refused)},
	}, harness.Twin{
		ID:     "deleted-with-service",
		Claim:  "deleting the Service with its Deployment fails new connections at once, while pods sleep for 10 s in vain",
		Kind:   harness.UnderLoad{Rate: 50, Rollout: rollout.DeletedWithService("v1")},
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Fresh), verdict.MinOutage(sleep / 2).Scaled().On(evidence.Fresh)},
	})
}
