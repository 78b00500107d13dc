package rollout

import (
	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// oneByOne: each new pod has to start before the next one does. Twin of all-at-once.
func oneByOne() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	return harness.Scenario{
		ID:      "one-by-one",
		Profile: harness.Core,
		Claim:   "replacing pods one by one has new connections answered by both versions for as long as all but one of them take to start",
		App:     app,
		Load:    harness.Load{Rate: 100},
		Rollout: rollout.Update("v1", "v2"),
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.NoFailures().Decides("C32.probed"),
			verdict.NoSlowReplies(),
			verdict.MinMixedWindow(3 * app.StartDelay).Scaled().On(evidence.Fresh).Decides("C17.one-by-one"),
			verdict.Mixes(1).Decides("C18"),
			verdict.MinAvailable(4),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	}
}
