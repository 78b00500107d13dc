package rollout

import (
	"errors"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// drainedAsMeasured: how long a drain has to be depends on the cluster, and can be measured. A first rollout, about which nothing
// is claimed, shows how long the nodes' rules route to pods that have left. In the second rollout the pods sleep that long and half
// as long again, and at least a second more, since a node may by chance have written its rules just then.
func drainedAsMeasured() harness.Scenario {
	return harness.Update(harness.Scenario{
		ID:    "drained-as-measured",
		Claim: "replacing every pod fails no request if pods sleep longer than any node's rules were measured to route to removed endpoints",
		App:   fixtures.Drained(),
		Uses:  []string{evidence.NodeRules},
		Kind: harness.UnderLoad{Adapt: func(app fixtures.App, seen timeline.Timeline) (fixtures.App, error) {
			needed := slices.Collect(maps.Values(seen.NeededDrains()))
			if len(needed) == 0 {
				return app, errors.New("no node's rules were seen to leave a pod out")
			}
			longest := slices.Max(needed)
			app.PreStopSleep = longest + max(time.Second, longest/2)
			app.Grace = app.PreStopSleep + fixtures.DefaultGrace
			return app, nil
		}},
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.RulesBeforeSigterm(),
		},
	})
}
