package disruption

import (
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// etcd: without it the API server only answers lists, from its cache.
func etcd() []harness.Scenario {
	const stopped = 15 * time.Second
	return []harness.Scenario{
		steady("an etcd that is stopped costs no request", drained(), disruption.Disruption{
			ID: "etcd-stopped", Does: "etcd is stopped for 15 s", Expects: []string{apiAway}, Lasts: stopped,
			Do: disruption.Stopped(disruption.ControlPlane, disruption.Etcd, stopped),
		}, verdict.NoFailures()),
		inRollout("a rollout during which etcd is stopped fails no request", paced(), disruption.Disruption{
			ID: "etcd-stopped-in-rollout", Does: "etcd is stopped for 15 s in the middle of a rollout", Expects: []string{apiAway},
			After: 3 * time.Second, Lasts: stopped + 30*time.Second,
			Do: disruption.StoppedMarked(disruption.ControlPlane, disruption.Etcd, stopped),
		}, verdict.NoFailures(), verdict.StepInRollout(disruption.Etcd), verdict.DoneAfter(evidence.DisruptionUndone)),
	}
}
