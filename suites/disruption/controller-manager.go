package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// controllerManager: without it nothing changes, and a rollout stands still. In the twin a change happens that it would have to
// handle: a pod that ends stays in the endpoints.
func controllerManager() []harness.Scenario {
	const away = 10 * time.Second
	return []harness.Scenario{
		steady("without a controller manager no request fails", drained(), disruption.Disruption{
			ID: "controller-manager-away", Does: "the controller manager is away for 10 s", Lasts: away + 10*time.Second,
			Do: disruption.Away(disruption.ControllerManager, away),
		}, verdict.NoFailures()),
		inRollout("without a controller manager a rollout stands still and fails no request", paced(), disruption.Disruption{
			ID: "controller-manager-away-in-rollout", Does: "the controller manager is away for 20 s in the middle of a rollout",
			After: 3 * time.Second, Lasts: outlasting + 10*time.Second, Do: disruption.Away(disruption.ControllerManager, outlasting),
		}, verdict.NoFailures(), verdict.MinAvailable(3), verdict.MaxActive(4), verdict.StepInRollout(disruption.ControllerManager),
			verdict.DoneAfter(evidence.DisruptionUndone)),
		// Stopped for less than the 10 s in which a leader has to renew its lease, it carries on afterwards as if nothing had happened.
		steady("a pod that ends while the controller manager is stopped costs requests, though it sleeps for 5 s and drains", drained(),
			disruption.Disruption{
				ID: "controller-manager-stopped-at-deletion", Does: "a pod is deleted while the controller manager is stopped for 9 s",
				Lasts: 9 * time.Second, Do: disruption.Together(
					disruption.Stopped(disruption.ControlPlane, disruption.ControllerManager, 9*time.Second),
					disruption.Later(time.Second, disruption.PodDeleted)),
			}, verdict.DamageSeen().On(evidence.Fresh)),
	}
}
