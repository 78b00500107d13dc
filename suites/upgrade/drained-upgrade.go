package upgrade

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/verdict"
)

// drainedUpgrade: an app that drains, and of which one pod at a time may be away, loses nothing whatever is done to its cluster: not
// while etcd and the API server are replaced, for what routes requests needs neither; not when every kube-proxy starts anew, for its
// rules stay; not when a kubelet does, for containers go on without it. But it takes that drains wait until everybody follows changes
// again, see [hurriedUpgrade].
func drainedUpgrade() harness.Scenario {
	return harness.Scenario{
		ID: "drained-upgrade",
		Claim: "upgrading Kubernetes twice fails no request of pods that sleep 5 s before SIGTERM when a budget lets one go at a time and " +
			"each drain waits until controllers, kube-proxies and kubelets follow changes again",
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			StartDelay: time.Second, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Load:    harness.Load{Rate: rate},
		Rollout: rollout.UpdateMeanwhile(before, after),
		Disruption: toLatest("drained-upgrade", "Kubernetes is upgraded twice, and workers are drained for it",
			disruption.UpgradePath{Drain: drains()}),
		Own:   &harness.OwnCluster{Kubernetes: from, Upgrades: to},
		Tries: 1,
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves(before, after),
			verdict.NoFailures(),
			verdict.LossesAtSteps(lossLasts),
			verdict.OnlyServes(after, evidence.Barrier),
		},
	}
}
