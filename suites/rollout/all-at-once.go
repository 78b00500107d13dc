package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// allAtOnce: with a surge of 100 % all new pods start together, so that both versions answer for about as long as kube-proxy takes:
// old pods that sleep through their 30 s get no new connection. It costs twice the pods. Twin of one-by-one, which takes three
// starts: the bounds of the two do not overlap, neither those of new connections nor those of the pods that nobody has told to end. Kept
// connections stay with old pods for their drain as well, which is as long as the manifest says, with any surge.
func allAtOnce() harness.Scenario {
	startup := fixtures.DrainedOneByOne().StartDelay
	const drain = 30 * time.Second
	return harness.Update(harness.Scenario{
		ID:      "all-at-once",
		Profile: harness.Core,
		Claim: "with a surge of 100 % new connections are answered by both versions for less time than a pod takes to start twice, " +
			"and no request fails when the old pods sleep 30 s before they get SIGTERM",
		App: fixtures.App{
			Replicas: 4, MaxSurge: new(intstr.FromString("100%")), MaxUnavailable: new(intstr.FromInt32(0)),
			MinReady: time.Second, StartDelay: startup,
			PreStopSleep: drain, Grace: drain + 10*time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().ByTheClock().Decides("C40"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MaxDrainLag(5 * time.Second).Scaled(),
			verdict.RulesBeforeSigterm().ByTheClock().Decides("C40"),
			verdict.MaxMixedWindow(2 * startup).Scaled().On(evidence.Fresh).Decides("C17.all-at-once"),
			verdict.VersionsOverlap(0, 2*startup).Scaled().Decides("C17.all-at-once"),
			verdict.MinAvailable(4).Decides("C16.pods"),
			verdict.Scaling("v2:4").Decides("C16.resources"), // while all 4 old ones are there
			verdict.MaxPods(8),
		},
	})
}
