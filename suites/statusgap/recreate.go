package statusgap

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// recreate: all old pods end first, and only then are there new ones. Old pods serve through their preStop sleep: if no endpoint is
// ready, kube-proxy routes to terminating ones (KEP-1669). Then nobody is answered until new pods have started, each after the last
// old one ended: for at least their start delay. How much longer is the cluster's affair, and breaks no claim. The containers end
// first: objects of ended pods may still be in the API beside the new ones (5 of 3 replicas were seen). The client's last requests of the
// outage may wait for up to their timeout and be answered: rules that route to a pod that is gone may swallow a SYN, which is sent again
// after 1 s and 3 s.
func recreate() harness.Scenario {
	const startup = 3 * time.Second
	return harness.Scenario{
		ID:      "recreate",
		Profile: harness.Core,
		Claim:   "Recreate never mixes versions; old pods serve until SIGTERM, and then nobody is answered until new ones have started",
		App: fixtures.App{
			Replicas: 3, Recreate: true, StartDelay: startup, PreStopSleep: 5 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rollout: rollout.Update("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.OldEndsFirst().Decides("C6"),
			verdict.CleanCut().Decides("C6"),
			verdict.OnlyServes("v2", evidence.StatusDone),
			verdict.ServesUntilSigterm().Decides("C2", "C6", "C38"),
			verdict.LostWhileNoneServes(evidence.Refused).Decides("C6"),
			verdict.MinPause(startup).Scaled().Decides("C6"),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
		},
	}
}
