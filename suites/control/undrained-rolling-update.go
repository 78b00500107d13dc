package control

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// undrainedRollingUpdate: the pods exit as soon as they get SIGTERM, while the nodes' rules still route to them. A plain lane
// beside the others shows how many of the losses Go's own client hides. Twin of rollout/drained-rolling-update.
func undrainedRollingUpdate() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	app.PreStopSleep, app.Linger, app.OnTerm = 0, 0, fixtures.Exit
	return harness.Update(harness.Scenario{
		ID:      "undrained-rolling-update",
		Profile: harness.Smoke,
		Claim:   "replacing every pod fails requests when pods exit as soon as they get SIGTERM",
		App:     app,
		Load:    harness.Load{Also: []string{evidence.Plain}},
		Expect: []evidence.Expectation{
			verdict.DamageSeen(),
			verdict.LostWhileTerminating().Decides("C31"),
			verdict.MaxRuleLag(3 * time.Second).Scaled(),
		},
		Tries: 3,
	})
}
