package mutants

import (
	"time"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/verdict"
)

// rigMutants damage load agents and observers. Tests of this package damage recordings in a run folder, and on the way to it.
func rigMutants() []Mutant {
	return []Mutant{
		{ID: "agent-killed", Damages: "a load agent is killed", Of: drained, When: begun(time.Second), Do: disruption.Killed(worker, "agent"),
			Want: verdict.Inconclusive, Cause: "agent-lost"},
		{ID: "agent-stopped", Damages: "a load agent is stopped for 1.5 s", Of: drained, When: begun(time.Second),
			Do: disruption.Stopped(worker, "agent", 1500*time.Millisecond), Want: verdict.Inconclusive, Cause: "late-lane"},
		{ID: "agent-stopped-once", Damages: "a load agent is stopped for 1.5 s, in the first recording", Of: drained, When: begun(time.Second),
			Do: disruption.Stopped(worker, "agent", 1500*time.Millisecond), Once: true, Want: verdict.Pass, Cause: Retry},
		{ID: "observer-killed", Damages: "the observer of one node's rules is killed", Of: drained, When: firstOldDeleted(),
			Do: disruption.Killed(worker2, "noderules"), Want: verdict.Inconclusive, Cause: "observer-lost"},
		{ID: "observer-stopped", Damages: "the observer of one node's rules is stopped from a deletion until after SIGTERM", Of: drained,
			When: firstOldDeleted(), Do: disruption.Stopped(worker, "noderules", 7*time.Second),
			Want: verdict.Inconclusive, Cause: "rules-before-sigterm"},
	}
}
