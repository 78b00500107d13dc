package statusgap

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// statusTrap: `kubectl rollout status` ignores terminating pods, which still serve. With a preStop sleep longer than a pod takes to
// start, old pods are there when it reports success, and answer until their sleep and their drain are over. What can be relied on
// is that no old pod is in the API any more.
func statusTrap() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	const (
		stop    = time.Second // a kubelet's delay before it begins a deletion: its pod cache is updated once a second
		minSync = time.Second // kube-proxy writes rules at most this often (minSyncPeriod, KubeProxyConfiguration v1alpha1)
	)
	return harness.Update(harness.Scenario{
		ID:      "status-trap",
		Profile: harness.Core,
		Claim:   "rollout status reports success while old pods still answer clients, and once they are gone no client is answered by one",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.OldAtStatus(1).Decides("C1"),
			verdict.AnswersAfter("v1", evidence.StatusDone, 1).Decides("C1", "C5.before"),
			verdict.MaxStatusGap(app.PreStopSleep + app.Linger + stop).Scaled(),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 3*time.Second),
			verdict.SentWhileTerminating().Decides("C2"),
			verdict.ReachesTerminating().Decides("C2"),
			verdict.MaxDrainLag(3 * time.Second).Scaled(),
			verdict.MostDrainLags(50, minSync).Decides("C3"),
			verdict.MaxRuleLag(3 * time.Second).Decides("C3"),
			verdict.RulesBeforeSigterm(),
			verdict.OnlyServes("v2", evidence.OldGone).Decides("C5.after"),
		},
	})
}
