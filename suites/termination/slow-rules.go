package termination

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// slowRules: how long a drain has to be is kube-proxy's to say. Where it writes rules every 10 s at most, as some
// providers have it, 5 s that are plenty elsewhere lose requests, and 15 s lose none. Twins of each other.
func slowRules() []harness.Scenario {
	const minSync = 10 * time.Second
	slow := func(id, claim string, drain time.Duration, expect ...evidence.Expectation) harness.Scenario {
		return harness.Scenario{
			ID: id, Claim: claim,
			ClusterChanges: []cluster.Change{change.MinSync(minSync)},
			App: fixtures.App{
				Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
				PreStopSleep: drain, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
			},
			Load:    harness.Load{Rate: 100},
			Rollout: rollout.Update("v1", "v2"),
			Expect: append([]evidence.Expectation{
				verdict.FullRate(99),
				verdict.Serves("v1", "v2"),
				verdict.MaxRuleLag(minSync + 3*time.Second).Scaled(), // as minSync is, which the scenario makes
				verdict.OnlyServes("v2", evidence.Barrier),
			}, expect...),
		}
	}
	outlast := slow("slow-rules-outlast", "a sleep of 5 s loses requests where kube-proxy writes rules every 10 s",
		5*time.Second, verdict.DamageSeen().On(evidence.Fresh).Decides("C3"))
	outlast.Tries = 3 // a rollout may fall between two writes
	return []harness.Scenario{
		outlast,
		slow("slow-rules-awaited", "a sleep of 15 s loses no request where kube-proxy writes rules every 10 s",
			15*time.Second, verdict.RulesBeforeSigterm().Decides("C3"),
			verdict.NoFailures(), verdict.NoSlowReplies()),
	}
}
