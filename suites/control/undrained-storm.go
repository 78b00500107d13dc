package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// undrainedStorm: nearly every one of the terminations of rollout/storm would have cost a request, had its pods not drained.
//
// That is no chance. A reply takes 0.5 s, and a pod that exits at SIGTERM loses those under way: of a node that sends 25 requests
// a second over new connections the last 12 are, each of them on one of four pods at most, so that (3/4)^12, 3 %, of terminations
// have none; and as few of as many over keep-alive connections. After that the node's rules route to the dead pod for what is
// left of kube-proxy's minSyncPeriod of 1 s, which began when the pod's successor got ready, just before: 12 requests more in half
// a second. All three together miss one termination in 30,000 at 25 a second, and one in 180 at 12. Each loss is the pod's that
// logged the request, or of the one pod in whose window it was sent: pods follow each other as slowly as they start.
func undrainedStorm() harness.Scenario {
	app := fixtures.Drained()
	app.PreStopSleep, app.Linger, app.OnTerm, app.HandlerDelay = 0, 0, fixtures.Exit, 500*time.Millisecond
	return harness.Update(harness.Scenario{
		ID:        "undrained-storm",
		Claim:     "95 of 100 pod terminations, counted by node, lose a request when the pods exit as soon as they get SIGTERM",
		App:       app,
		Exclusive: true, // for the rate, which the arithmetic above is about
		Rollout:   rollout.RestartThenUpdate("v1", "v2", 10),
		Expect: []evidence.Expectation{
			verdict.MinTerminations(59),
			verdict.MinTerminationsLost(95).Decides("C31"),
		},
		Tries: 3,
	})
}
