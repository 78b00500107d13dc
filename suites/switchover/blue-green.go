package switchover

import (
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// blueGreen: the Service is led from one set of ready pods to another, and back. Each node changes all its rules at
// once. A kept connection is no matter of rules: the old pods are not told anything, and so it stays with them for
// as long as the client keeps it.
func blueGreen() []harness.Scenario {
	var scenarios []harness.Scenario
	for _, flip := range []struct{ id, claim, from, to string }{
		{"blue-green", "leading a Service to other pods fails no request and takes every new connection along, and no kept one", "v1", "v2"},
		{"blue-green-back", "leading a Service back to the pods it came from does the same", "v2", "v1"},
	} {
		scenarios = append(scenarios, harness.Scenario{
			ID:      flip.id,
			Claim:   flip.claim,
			Covers:  []string{"C19"},
			App:     fixtures.App{Replicas: 3, OnTerm: fixtures.Drain},
			Load:    harness.Load{Rate: 100, Settle: 20 * time.Second}, // as long as nobody closes, connections are kept
			Rollout: rollout.Flip(flip.from, flip.to),
			Expect: []evidence.Expectation{
				verdict.FullRate(99),
				verdict.Serves("v1", "v2"),
				verdict.NoFailures(),
				verdict.NoHiddenRetries(),
				verdict.MaxRuleLag(3 * time.Second),
				verdict.On(evidence.Fresh, verdict.OnlyServes(flip.to, evidence.Barrier)),
				verdict.On(evidence.Reused, verdict.StillServes(flip.from)),
			},
		})
	}
	return scenarios
}
