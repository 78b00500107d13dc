package own

import (
	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/userapp"
	"rollcall/harness/verdict"
)

// update is a rollout under load. Where the app's replies name their version, what they say is judged as well.
func update(app *userapp.App, id, claim string, strategy rollout.Strategy) harness.Scenario {
	old, next := strategy.Versions()
	s := harness.Scenario{
		ID:      id,
		Profile: harness.Core,
		Claim:   claim + " of " + app.Name(),
		Uses:    []string{harness.AppObjects},
		UserApp: app,
		App:     fixtures.App{Name: app.Service()}, // of the control pod, which has to answer in the Service's name
		Load:    harness.Load{Rate: app.Rate()},
		Rollout: strategy,
		Expect:  []evidence.Expectation{verdict.FullRate(99), verdict.NoFailures(), verdict.NoSlowReplies()},
	}
	if app.Facts().Named {
		s.Expect = append(s.Expect, verdict.Serves(old, next), verdict.OnlyServes(next, evidence.Barrier))
	}
	return s
}
