package rollout

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// drainedRollingUpdate: with a preStop sleep longer than kube-proxy's slowest sync no new connection loses a request, and no node
// still opens connections to a pod when its sleep is over. A keep-alive connection stays with its pod through the sleep, whatever
// kube-proxy does; so that it loses none either, the app still serves for a while after SIGTERM and makes its clients close. That holds
// for the connections that load balancers keep, too: a client outside keeps some through a NodePort. Twin of
// control/undrained-rolling-update.
func drainedRollingUpdate() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	return harness.Update(harness.Scenario{
		ID:      "drained-rolling-update",
		Profile: harness.Smoke,
		Claim:   "replacing every pod fails no request when pods sleep 5 s before they get SIGTERM, and then answer with Connection: close",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.Mixes(1).Decides("C18"),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.MaxLatency(time.Second), // a reply after a resent SYN takes longer
			verdict.NoHiddenRetries(),
			verdict.MaxDrainLag(app.PreStopSleep).Scaled().Decides("C37.terminating"),
			verdict.MaxRuleLag(3 * time.Second).Scaled(),
			verdict.RulesBeforeSigterm().ByTheClock().Decides("C39.rules-first"),
		},
	})
}
