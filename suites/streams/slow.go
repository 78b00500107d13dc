package streams

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// slowRequests: the grace period begins at the deletion and has the preStop sleep in it, so that a request lives if it ends before
// the period does, whenever it began. A pod gets new connections for up to 1 s after its deletion (kube-proxy's minSyncPeriod): with a
// preStop sleep of 5 s, a reply of 10 s needs a grace period of 11 s and more.
func slowRequests() []harness.Scenario {
	return []harness.Scenario{
		slow("slow-within-grace", "requests of 10 s get their replies where the grace period is 30 s, of which the hook takes 5 s",
			30*time.Second, verdict.NoFailures().On(evidence.Fresh)),
		slow("slow-beyond-grace", "with a grace period of 8 s those requests of 10 s fail which would end after it, and no others",
			8*time.Second, verdict.CutAsPredicted(evidence.Fixed(slowReply), killSlack, leastCuts).On(evidence.Fresh),
			verdict.EndedByKill(leastCuts)),
	}
}

const (
	// slowReply is how long a reply takes.
	slowReply = 10 * time.Second
	// killSlack is how wrong the end of a pod may be: it is last seen alive within 0.1 s (the app's log), and a busy node is late.
	killSlack = 500 * time.Millisecond
	// leastCuts makes sure that a prediction could be wrong.
	leastCuts = 5
)

func slow(id, claim string, grace time.Duration, judged ...evidence.Expectation) harness.Scenario {
	return harness.Update(harness.Scenario{
		ID: id, Claim: claim,
		App: fixtures.App{Replicas: 3, OnTerm: fixtures.Drain, PreStopSleep: 5 * time.Second, DrainLimit: 20 * time.Second, Grace: grace,
			HandlerDelay: slowReply},
		Kind:   harness.UnderLoad{Rate: 10, Timeout: slowReply + 5*time.Second, Settle: slowReply + 5*time.Second},
		Expect: judged,
	})
}
