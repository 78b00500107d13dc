package rollout

import (
	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// storm: a rollout of three pods has six chances to lose something, as two workers see it, and six clean ones show only that 39 %
// or less of terminations do. Here three pods are replaced 11 times, which is 33 pods on two workers: 66 chances. 59 clean ones
// show 5 % or less at 95 % confidence. Replies take half a second, so that requests are in flight whenever a pod ends. Twin of
// control/undrained-storm.
func storm() harness.Scenario {
	app := fixtures.Drained()
	app.HandlerDelay = slowReply
	return harness.Update(harness.Scenario{
		ID:    "storm",
		Claim: "59 or more pod terminations, counted by node, lose no request when the pods sleep 5 s before they get SIGTERM and then drain",
		App:   app,
		Kind:  harness.UnderLoad{Rollout: rollout.RestartThenUpdate("v1", "v2", 10)},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MinTerminations(59).Needing(evidence.NodeRules), // elsewhere pods count, not nodes
			verdict.RulesBeforeSigterm(),
		},
	})
}
