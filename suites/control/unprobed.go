package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// unprobed: without a readiness probe a pod counts as ready when its container runs, and gets requests before its app listens; the
// drain of the old pods does not help. Twin of rollout/one-by-one. A rollout that loses none is practically impossible: at the
// lowest rate, each of two nodes sends 6 requests a second over new connections. Rules may take 3 s to follow, as elsewhere, which
// leaves 2 s until a pod listens. In these 2 s 24 requests go through the Service, and a pod gets one of at most 4: with 3 pods
// none is lost with a chance of (3/4)^72, once in a thousand million rollouts.
func unprobed() harness.Scenario {
	app := fixtures.Drained()
	app.StartDelay, app.Unprobed = 5*time.Second, true
	return harness.Update(harness.Scenario{
		ID:      "unprobed",
		Profile: harness.Core,
		Claim:   "replacing every pod fails requests when pods take 5 s to start and nobody probes whether they have",
		App:     app,
		Expect: []evidence.Expectation{
			verdict.LostWhileStarting().Surely().Decides("C32.unprobed"),
		},
	})
}
