package termination

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// slowRules: how long a drain has to be depends on kube-proxy. If it writes rules every 10 s at most, as with some providers, a
// sleep of 5 s, which is plenty elsewhere, loses requests, and one of 15 s loses none. Twins of each other.
func slowRules() []harness.Scenario {
	const minSync = 10 * time.Second
	return harness.Update(harness.Scenario{
		ClusterChanges: []cluster.Change{change.MinSync(minSync)},
		App:            fixtures.Drained(),
		Expect:         []evidence.Expectation{verdict.MaxRuleLag(minSync + 3*time.Second).Scaled()}, // minSync is scaled too
	}).Twins(harness.Twin{
		ID:     "slow-rules-outlast",
		Claim:  "a sleep of 5 s loses requests where kube-proxy writes rules every 10 s",
		Change: func(s *harness.Scenario) { s.Tries = 3 }, // a rollout may fall between two writes
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Fresh).Decides("C3")},
	}, harness.Twin{
		ID:     "slow-rules-awaited",
		Claim:  "a sleep of 15 s loses no request where kube-proxy writes rules every 10 s",
		Change: func(s *harness.Scenario) { s.App.PreStopSleep = 15 * time.Second },
		Expect: []evidence.Expectation{verdict.RulesBeforeSigterm().Decides("C3"), verdict.NoFailures(), verdict.NoSlowReplies()},
	})
}
