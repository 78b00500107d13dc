package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// appKilled: a process that is killed in a rollout takes its pod out of those that are available, beside what the limits of the rollout
// allow. The controller deletes no old pod until it is back (Kubernetes v1.37, pkg/controller/deployment/rolling.go,
// reconcileOldReplicaSets): of three pods that are replaced one after the other two stay available. A process that is killed takes up to
// 500 ms of its log with it.
func appKilled() []harness.Scenario {
	return []harness.Scenario{
		inRollout("an app that is killed in the middle of a rollout leaves all other pods there, and fails requests until its kubelet has started it again",
			paced(), disruption.Disruption{
				ID: "app-killed-midway", Does: "an app on worker is killed in the middle of a rollout", Nodes: onWorker,
				Expects: []string{"pod-log-lost"}, After: 3 * time.Second, Lasts: 5 * time.Second, Do: disruption.AppKilled(disruption.Worker),
			}, verdict.DamageSeen().On(evidence.Fresh), verdict.RecoversWithin(5*time.Second, evidence.DisruptionBegun), verdict.MinAvailable(2)),
	}
}
