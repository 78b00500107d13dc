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

// statefulSet: a pod keeps its name, so the old one of a name ends before its successor starts, unless somebody takes it out of the API
// by force; and kubectl reports success when no old pod is left: here that can be relied on. Meanwhile both versions answer. Seen: a new
// pod was ready, not ready 0.08 s later and ready again after 0.18 s, while the next was already deleted, so that 1 of 3 pods was
// available. Hence minReadySeconds; no request failed without it.
func statefulSet() harness.Scenario {
	return harness.Scenario{
		ID:      "stateful-set",
		Profile: harness.Core,
		Claim:   "when rollout status reports success for a StatefulSet no client is answered by an old pod any more",
		App: fixtures.App{
			Replicas: 3, MinReady: 2 * time.Second, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rollout: rollout.UpdateStatefulSet("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.Mixes(1).Decides("C7.clean-cut"), // two of three pods answer with one version while the third has the other
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MinAvailable(2),
			nameEndsFirst().Decides("C7.clean-cut"),
			verdict.OnlyServes("v2", evidence.StatusDone).Decides("C7.status"),
		},
	}
}

// statefulSetOfOne: the only pod has to be gone from the API before its successor is created. Apart from that it is like Recreate:
// see there for the bounds. The drain that costs nothing with three pods does not help here.
func statefulSetOfOne() harness.Scenario {
	const (
		startup = 3 * time.Second
		removal = 10 * time.Second // of a pod that has ended, at most: the period of the kubelet's status loop (v1.36.3, status_manager.go)
	)
	return harness.Scenario{
		ID:    "stateful-set-of-one",
		Claim: "a StatefulSet of one pod never mixes versions, and costs an outage",
		App: fixtures.App{
			Replicas: 1, StartDelay: startup, PreStopSleep: 5 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.UpdateStatefulSet("v1", "v2")}, // for one pod
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			nameEndsFirst().Decides("C7.clean-cut"),
			verdict.ServesUntilSigterm(),
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.CleanCut(), // the versions of several pods mix
			verdict.Pause(startup, startup+removal+harness.UsualPodStart+harness.UsualRuleLag).Scaled(),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
			verdict.OnlyServes("v2", evidence.StatusDone).Decides("C7.status"),
		},
	}
}

// nameEndsFirst expects that the old pod of each name has ended before the next one of that name starts. The API shows one pod of a
// name at a time, whether or not its process has ended: only the pods' own words tell. When the next one starts is no part of it.
func nameEndsFirst() evidence.Expectation {
	return verdict.Between(evidence.PodExited, evidence.PodStarted, 0, time.Hour)
}
