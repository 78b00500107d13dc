package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// unprobed: without a readiness probe a pod counts as ready when its container runs, and is sent requests before its
// app listens; the drain of the old pods does not help. Twin of rollout/one-by-one. That none is lost is out of the question: at the
// lowest rate, 6 a second of each of two nodes over new connections, 24 go through the Service in the 2 s that are left before a pod
// listens when rules have followed in 3 s, which is what they have elsewhere, and a pod gets one of at most 4: with 3 pods (3/4)^72, once
// in a thousand million rollouts.
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
