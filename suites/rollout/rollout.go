// Package rollout asks what replacing the pods of a Deployment costs the clients of its Service.
package rollout

import (
	"slices"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return slices.Concat(
		[]harness.Scenario{drainedRollingUpdate(), drainedAsMeasured(), oneByOne(), allAtOnce(),
			storm(), paused()}, // under load
		hookAdded(), undone(), overtaken(), unavailable(), byDefault(), scaledIn(), single(), stuck(), crash(), // likewise
		[]harness.Scenario{defaults(), strategies(), conditions(), eventsInOrder(), rollback(), undoToRevision(), templateOnly(), historyLimit(),
			terminatingUncounted(), gradualFullSurge(), lengths(), fullSurgeUnderQuota(), pausedSizes(), configMap(), selector()},
		deadline(), noRoomForSurge(), keptByFinalizer(), []harness.Scenario{scaledInByCost(), takenOut()}, ofService(),
		harness.Core.Takes(scaledDownLimits(), "scaled-down-limits-percent", "scaled-down-limits-absolute"),
		harness.Core.Takes(fenceposts(), "fenceposts-three-thirty-tenth", "fenceposts-four-quarter-quarter", "fenceposts-ten-thirty-thirty"),
	)
}

// slowReply is how long replies take where some requests have to be in flight whenever a pod ends.
const slowReply = 500 * time.Millisecond

// shortSleep is a sleep that is too short to help: requests in flight when a pod exits were sent after the rollout had begun, though
// pods end at its first write.
const shortSleep = time.Second

// withAndWithoutDrain returns two scenarios. The first drains; the second, whose pods end as its app says, loses requests in flight
// on kept connections.
func withAndWithoutDrain(s harness.Scenario, id, what, undrained string) []harness.Scenario {
	return s.Twins(harness.Twin{
		ID:     id + "-drained",
		Claim:  what + " fails no request when pods sleep 5 s before they get SIGTERM, and then drain",
		Change: func(s *harness.Scenario) { s.App.AddDrain() },
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:     id + "-undrained",
		Claim:  what + " fails requests on kept connections when " + undrained,
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Reused)},
	})
}

// exits makes an app's pods end at once.
func exits(a *fixtures.App) { a.PreStopSleep, a.Linger, a.OnTerm = 0, 0, fixtures.Exit }
