package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// drainedLonger: the sleep alone, without an app that serves on after SIGTERM. Keep-alive connections break, new ones do not.
func drainedLonger() harness.Scenario {
	return harness.Scenario{
		ID:    "drained-longer",
		Claim: "replacing every pod fails no request on a new connection when pods sleep 10 s before they get SIGTERM, and then exit at once",
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			PreStopSleep: 10 * time.Second, OnTerm: fixtures.Exit, // the sleep alone
		},
		Load:    harness.Load{Rate: 100},
		Rollout: rollout.Update("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().On(evidence.Fresh),
			verdict.NoSlowReplies().On(evidence.Fresh),
			verdict.MaxRuleLag(3 * time.Second),
			verdict.RulesBeforeSigterm().Decides("C31"),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
