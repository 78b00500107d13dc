package disruption

import (
	"time"

	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/verdict"
)

// scheduler: without it new pods wait, and old ones serve on.
func scheduler() []harness.Scenario {
	const away = 10 * time.Second
	return []harness.Scenario{
		inRollout("without a scheduler a rollout stands still and fails no request", drained(), disruption.Disruption{
			ID: "scheduler-away-in-rollout", Does: "the scheduler is away for 10 s in the middle of a rollout",
			After: time.Second, Lasts: away + 10*time.Second, Do: disruption.Away(disruption.Scheduler, away),
		}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxActive(4)),
	}
}
