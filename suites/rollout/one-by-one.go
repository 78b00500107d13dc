package rollout

import (
	"time"

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
		Claim:   "replacing 4 pods one by one lets both versions answer new connections for at least as long as 3 pods take to start in turn",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.NoFailures().Decides("C32.probed"),
			verdict.NoSlowReplies(),
			verdict.MinMixedWindow(3 * app.StartDelay).Scaled().On(evidence.Fresh).Decides("C17.one-by-one"),
			verdict.VersionsOverlap(3*app.StartDelay, time.Hour).Scaled().Decides("C17.one-by-one"), // as long as it takes
			verdict.Mixes(1).Decides("C18"),
			verdict.MinAvailable(4),
		},
	})
}
