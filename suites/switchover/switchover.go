// Package switchover asks what it costs clients when all pods are replaced at once, or none are.
package switchover

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(harness.Core.Takes(blueGreen(), "blue-green-back"), blueGreenByTest(), []harness.Scenario{canary()}, byHeader(),
		harness.Core.Takes(deleteAndApply(), "delete-and-apply", "delete-and-apply-drained"),
		[]harness.Scenario{deleteAndApplyHistory(), orphaned()}, deleted())
}

// blueGreen: the Service is switched from one set of ready pods to another, and back. Each node changes all its rules at once, in
// one sync of kube-proxy: up to minSyncPeriod after the last sync (1 s, KubeProxyConfiguration v1alpha1), which may have been for
// another Service, and half a second for the sync itself. Seen: 0.02 to 0.1 s, and 1.0 s if there had just been a sync. Rules do
// not concern keep-alive connections: the old pods get no signal, so such a connection stays with them for as long as the client
// keeps it. A client that stalls opens one more, which is new, and uses both: 15 % of one lane's last replies were from the new
// version then.
func blueGreen() []harness.Scenario {
	return []harness.Scenario{
		flipped("blue-green", "switching a Service to other pods fails no request, moves new connections at once, and moves no keep-alive one",
			rollout.Flip("v1", "v2")),
		flipped("blue-green-back", "switching a Service back fails no request, moves new connections at once, and moves no keep-alive one",
			rollout.FlipBack("v2", "v1")),
	}
}

func flipped(id, claim string, flip rollout.Strategy) harness.Scenario {
	const sync = 1500 * time.Millisecond
	old, next := flip.Versions()
	return harness.Scenario{
		ID:    id,
		Claim: claim,
		App:   fixtures.App{Replicas: 3, OnTerm: fixtures.Drain},
		// The load goes on for twice the time for which keep-alive connections are looked at.
		Kind: harness.UnderLoad{Settle: 10 * time.Second, Rollout: flip},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MaxSwitch(sync).Scaled().ByTheClock().Decides("C19"),
			verdict.MaxRuleLag(sync).Scaled(),
			verdict.OnlyServes(next, evidence.Barrier).On(evidence.Fresh),
			verdict.KeptConnections(old).Decides("C19"),
			verdict.StillServes(old, 50).On(evidence.Reused).Decides("C19"),
		},
	}
}

// canary: a rolling update that stops after its first step. kube-proxy chooses a pod at random for each new connection, so the new
// pod's share of them is its share of the pods, within what chance allows for so many, and clients switch back and forth between
// the versions. Keep-alive connections stay with their pod.
func canary() harness.Scenario {
	return harness.Scenario{
		ID:    "canary",
		Claim: "a rolling update that has added one pod to three gives it a quarter of the new connections, and no request fails",
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Settle: 20 * time.Second, Rollout: rollout.Canary("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.Share("v2", 25, evidence.Barrier).On(evidence.Fresh).Decides("C18"),
			verdict.Mixes(1).Decides("C18"),
			verdict.KeptConnections("v1"),
			verdict.StillServes("v1", 50).On(evidence.Reused),
		},
	}
}
