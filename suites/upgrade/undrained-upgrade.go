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

// undrainedUpgrade: the same, with an app that exits at once, of which drains take all pods of a node together. That costs requests
// there, and in the rollout of the app itself; every other step costs none, so each loss is known by its step. Twin of
// drained-upgrade.
func undrainedUpgrade() harness.Scenario {
	deletes := drains()
	deletes.Deletes = true
	return harness.Scenario{
		ID: "undrained-upgrade",
		Claim: "upgrading Kubernetes fails requests at drains and in the app's own rollout, and at no other step, when pods exit at once and " +
			"no budget is asked",
		App: fixtures.App{
			Replicas: 3, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
			StartDelay: time.Second, OnTerm: fixtures.Exit,
		},
		Load:    harness.Load{Rate: rate},
		Rollout: rollout.UpdateMeanwhile(before, after),
		Disruption: toLatest("undrained-upgrade", "Kubernetes is upgraded twice, and workers are emptied for it at once",
			disruption.UpgradePath{Drain: deletes}),
		Own:   &harness.OwnCluster{Kubernetes: from, Upgrades: to},
		Tries: 1, // what a drain takes at once is no matter of chance
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves(before, after),
			verdict.LostAtSteps(disruption.DrainStep),
			verdict.LossesAtSteps(lossLasts, disruption.DrainStep, disruption.RolloutStep),
			verdict.OnlyServes(after, evidence.Barrier),
		},
	}
}
