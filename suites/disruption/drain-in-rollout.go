package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// drainInRollout: two things happen at once. The budget counts both, the rollout's maxUnavailable only its own. Of 5 available pods
// evictions may take 2, if the budget does not know yet that the Deployment controller takes one too, or the other way round: 2 are
// left. Four pods that start one after the other take at least 4 s, so that a drain after 2 s falls into the middle of their
// rollout.
func drainInRollout() []harness.Scenario {
	return drainable(
		inRollout("a rollout while a node drains fails no request of an app that drains and has a PodDisruptionBudget",
			four(drained()), disruption.Disruption{
				ID: "drain-in-rollout-budgeted", Does: "worker is drained in the middle of a rollout", Nodes: onWorker, After: 2 * time.Second,
				Lasts: 60 * time.Second, Do: disruption.Drain{Node: disruption.Worker, Budget: oneAway()}.Do,
			}, verdict.NoFailures(), verdict.MinAvailable(2), verdict.StepInRollout("drain")),
		inRollout("a rollout while a node drains fails requests of an app that exits at once and has no PodDisruptionBudget",
			four(undrained()), disruption.Disruption{
				ID: "drain-in-rollout-unbudgeted", Does: "worker is drained in the middle of a rollout, without a budget", Nodes: onWorker,
				After: 2 * time.Second, Lasts: 30 * time.Second, Do: disruption.Drain{Node: disruption.Worker}.Do,
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.StepInRollout("drain")),
	)
}
