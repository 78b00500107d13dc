package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// scheduler: without it new pods wait, and old ones still serve.
func scheduler() []harness.Scenario {
	return []harness.Scenario{
		inRollout("without a scheduler a rollout stands still and fails no request", paced(), disruption.Disruption{
			ID: "scheduler-away-in-rollout", Does: "the scheduler is away for 20 s in the middle of a rollout",
			After: time.Second, Lasts: outlasting + 10*time.Second, Do: disruption.Away(disruption.Scheduler, outlasting),
		}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxActive(4), verdict.StepInRollout(disruption.Scheduler),
			verdict.DoneAfter(evidence.DisruptionUndone)),
	}
}
