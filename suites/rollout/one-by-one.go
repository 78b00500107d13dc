package rollout

import (
	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// oneByOne: each new pod has to be ready before the next one starts. Twin of all-at-once.
func oneByOne() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	return harness.Update(harness.Scenario{
		ID:      "one-by-one",
		Profile: harness.Core,
		Claim:   "replacing pods one by one has new connections answered by both versions for as long as all but one of them take to start",
		App:     app,
		Expect: []evidence.Expectation{
			verdict.NoFailures().Decides("C32.probed"),
			verdict.NoSlowReplies(),
			verdict.MinMixedWindow(3 * app.StartDelay).Scaled().On(evidence.Fresh).Decides("C17.one-by-one"),
			verdict.Mixes(1).Decides("C18"),
			verdict.MinAvailable(4),
		},
	})
}
