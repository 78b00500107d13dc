package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// undrainedStorm: nearly every pod termination of rollout/storm would cost a request if its pods did not drain.
//
// This is not left to chance. A reply takes 0.5 s, and a pod that exits at SIGTERM loses the requests in flight. Of a node that
// sends 25 requests a second over new connections these are the last 12, each of them to one of four pods at most, so that
// (3/4)^12, 3 %, of terminations lose none; with keep-alive connections it is about as few. After that the node's rules route to
// the dead pod for the rest of kube-proxy's minSyncPeriod of 1 s, which began just before, when the pod's successor became ready:
// 12 more requests in half a second. All three together miss one termination in 30,000 at 25 a second, and one in 180 at 12. Each
// loss belongs to the pod that logged the request, or to the only pod in whose window it was sent: pods follow each other as slowly
// as they start.
func undrainedStorm() harness.Scenario {
	app := fixtures.Drained()
	app.PreStopSleep, app.Linger, app.OnTerm, app.HandlerDelay = 0, 0, fixtures.Exit, 500*time.Millisecond
	return harness.Update(harness.Scenario{
		ID:        "undrained-storm",
		Claim:     "95 of 100 pod terminations, counted by node, lose a request when the pods exit as soon as they get SIGTERM",
		App:       app,
		Exclusive: true, // the arithmetic above depends on the rate
		Kind:      harness.UnderLoad{Rollout: rollout.RestartThenUpdate("v1", "v2", 10)},
		Expect: []evidence.Expectation{
			verdict.MinTerminations(59).Needing(evidence.NodeRules), // elsewhere pods count, not nodes
			verdict.MinTerminationsLost(95).Decides("C31"),
		},
		Tries: 3,
	})
}
