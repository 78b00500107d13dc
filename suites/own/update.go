package own

import (
	"fmt"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
)

// update returns a scenario with a rollout under load. If the app's replies name their version, it judges that as well.
func update(app *userapp.App, id, does string, strategy rollout.Strategy) harness.Scenario {
	old, next := strategy.Versions()
	s := harness.Scenario{
		ID:      id,
		Profile: harness.Core,
		Claim:   does + " fails no request of " + app.Name(),
		Uses:    []string{harness.AppObjects},
		UserApp: app,
		App:     fixtures.App{Name: app.Service()}, // for the control pod, whose replies have to name the Service
		Load:    harness.Load{Rate: app.Rate()},
		Rollout: strategy,
		Expect:  []evidence.Expectation{verdict.FullRate(99), verdict.NoFailures(), verdict.NoSlowReplies()},
	}
	if may := app.Budget(); may.Any() { // an outage contains the slow replies
		s.Claim = fmt.Sprintf("no client %s in %s of %s", may.Words(), does, app.Name())
		s.Expect = append(may.Expectations(), verdict.FullRate(99))
	}
	if app.Facts().Named {
		s.Expect = append(s.Expect, verdict.Serves(old, next), verdict.OnlyServes(next, evidence.Barrier))
	}
	return s
}
