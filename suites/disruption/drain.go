package disruption

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// oneAway is a budget that lets one pod be away at a time.
func oneAway() *intstr.IntOrString { return new(intstr.FromInt32(1)) }

// four gives an app four pods, two on each worker, so that a drain without a budget ends two at a time.
func four(app fixtures.App) fixtures.App {
	app.Replicas = 4
	app.Nodes = []string{disruption.Worker, disruption.Worker2}
	return app
}

// drainable marks scenarios that do no more than drain nodes.
func drainable(scenarios ...harness.Scenario) []harness.Scenario {
	for _, s := range scenarios {
		s.UnderLoad().Disruption.Drains = true
	}
	return scenarios
}

// drain: an eviction checks the PodDisruptionBudget, and nothing waits for a replacement, so it takes both a budget and an app that
// drains.
func drain() []harness.Scenario {
	budgeted := disruption.Drain{Node: disruption.Worker, Budget: oneAway()}
	blocked := disruption.Drain{Node: disruption.Worker, Budget: new(intstr.FromInt32(0)), Timeout: 15 * time.Second}
	unbudgeted := disruption.Drain{Node: disruption.Worker}
	deleting := disruption.Drain{Node: disruption.Worker, Budget: oneAway(), Deletes: true}
	one := drained()
	one.Replicas = 1
	one.Nodes = onWorker
	return drainable(
		steady("a drain fails no request of an app that drains, where a PodDisruptionBudget lets one pod go at a time",
			four(drained()), disruption.Disruption{
				ID: "drain-budgeted", Does: "worker is drained", Nodes: onWorker, Lasts: 40 * time.Second, Do: budgeted.Do,
			}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.Fact(disruption.DrainFact, disruption.Drained)),
		steady("a drain of a node with the only pod of an app evicts nothing in 15 s where its PodDisruptionBudget lets none go, and costs nothing",
			one, disruption.Disruption{
				ID: "drain-blocked", Does: "worker, which has the only pod, is drained for 15 s", Nodes: onWorker, Lasts: 15 * time.Second,
				Do: blocked.Do,
			}, verdict.NoFailures(), verdict.Fact(disruption.DrainFact, disruption.NotDrained),
			verdict.Fact(disruption.BlockerFact, "PodDisruptionBudget echo: 1 of 1 pods are healthy and 1 have to be")),
		steady("a drain ends in spite of a pod that is never ready, where the pod's budget lets such pods go", drained(), disruption.Disruption{
			ID: "drain-unready-allowed", Does: "worker, which has a pod that is never ready, is drained", Nodes: onWorker, Lasts: 20 * time.Second,
			Do: disruption.UnreadyDrained(disruption.Drain{Node: disruption.Worker, Budget: oneAway(), EvictUnready: true}),
		}, verdict.NoFailures(), verdict.Fact(disruption.DrainFact, disruption.Drained)),
		steady("a drain does not end because of a pod that is never ready, where the pod's budget says nothing of such pods",
			drained(), disruption.Disruption{
				ID: "drain-unready", Does: "worker, which has a pod that is never ready, is drained for 15 s", Nodes: onWorker, Lasts: 20 * time.Second,
				Do: disruption.UnreadyDrained(disruption.Drain{Node: disruption.Worker, Budget: oneAway(), Timeout: 15 * time.Second}),
			}, verdict.NoFailures(), verdict.Fact(disruption.DrainFact, disruption.NotDrained),
			verdict.Fact(disruption.BlockerFact, "PodDisruptionBudget unready: 0 of 1 pods are healthy and 0 have to be")),
		steady("a drain without a PodDisruptionBudget fails requests of an app that exits at once",
			four(undrained()), disruption.Disruption{
				ID: "drain-unbudgeted", Does: "worker is drained, without a budget", Nodes: onWorker, Lasts: 15 * time.Second, Do: unbudgeted.Do,
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.Fact(disruption.DrainFact, disruption.Drained)),
		steady("a drain that deletes pods instead of evicting them asks no budget: two of four pods go at once, and requests fail",
			four(undrained()), disruption.Disruption{
				ID: "drain-disabled-eviction", Does: "worker is drained with --disable-eviction", Nodes: onWorker, Lasts: 15 * time.Second,
				Do: deleting.Do,
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.MinAvailable(2),
			verdict.Fact(disruption.DrainFact, disruption.Drained)),
		steady("evictions without a surge leave one pod fewer at a time, which costs an app that drains no request",
			four(drained()), disruption.Disruption{
				ID: "drain-other-node", Does: "worker2 is drained", Nodes: []string{disruption.Worker2}, Lasts: 40 * time.Second,
				Do: disruption.Drain{Node: disruption.Worker2, Budget: oneAway()}.Do,
			}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxPods(6)),
	)
}

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
