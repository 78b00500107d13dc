package upgrade

import (
	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// hurriedUpgrade: the same app and the same steps, but workers are drained as soon as the API server answers, as people do. Whoever
// watches it asks again only after up to a minute, in which pods end that every node still routes to. Twin of drained-upgrade, so that
// whatever is lost is lost for want of that wait: at drains, and at whatever steps come while nodes still route to those pods.
func hurriedUpgrade() harness.Scenario {
	s := drainedUpgrade()
	s.ID = "hurried-upgrade"
	s.Claim = "upgrading Kubernetes fails requests of pods that sleep 5 s before SIGTERM at drains that begin once the API server answers"
	s.Disruption = toLatest(s.ID, "Kubernetes is upgraded twice, and workers are drained for it as soon as the API server answers",
		disruption.UpgradePath{Drain: drains(), Hurries: true})
	s.Expect = []evidence.Expectation{
		verdict.FullRate(99),
		verdict.Serves(before, after),
		verdict.LostAtSteps(disruption.DrainStep).On(evidence.Fresh),
		verdict.OnlyServes(after, evidence.Barrier),
	}
	return s
}
