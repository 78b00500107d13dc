package switchover

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

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
