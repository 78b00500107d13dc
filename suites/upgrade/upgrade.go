// Package upgrade asks what an upgrade of Kubernetes itself costs the clients of an app: with kubeadm, over two minor versions, the
// control plane first and then node by node, under load. Each scenario has a cluster of its own, and removes it.
package upgrade

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// All lists the scenarios of this suite.
//
// An app that drains, and of which one pod at a time may be away, loses nothing whatever happens to its cluster: not while etcd and
// the API server are replaced, since routing needs neither; not when every kube-proxy restarts, since its rules stay; not when a
// kubelet does, since containers keep running without it. But drains have to wait until everything follows changes again: a client
// that watches the API server reconnects only after up to a minute, during which pods end that every node still routes to. If
// workers are drained as soon as the API server answers, as people do, all losses come from not waiting: at drains, and at whatever
// steps come while nodes still route to those pods.
//
// An app that exits at once, with drains that take all pods of a node together, loses requests at drains and in its own rollout; no
// other step costs any, so each loss belongs to a known step.
func All() []harness.Scenario {
	app := fixtures.Drained()
	app.StartDelay = time.Second
	return harness.Update(harness.Scenario{
		App:   app,
		Tries: 1, // which pods a drain takes at once is not left to chance
	}).Twins(harness.Twin{
		ID: "drained-upgrade",
		Claim: "upgrading Kubernetes twice fails no request of pods that sleep 5 s before SIGTERM when a budget lets one go at a time and " +
			"each drain waits until controllers, kube-proxies and kubelets follow changes again",
		Kind:   toLatest("drained-upgrade", "workers are drained for it", disruption.UpgradePath{}),
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.LossesAtSteps(lossLasts)},
	}, harness.Twin{
		ID:    "hurried-upgrade",
		Claim: "upgrading Kubernetes fails requests of pods that sleep 5 s before SIGTERM at drains that begin once the API server answers",
		Kind: toLatest("hurried-upgrade", "workers are drained for it as soon as the API server answers",
			disruption.UpgradePath{Hurries: true}),
		Expect: []evidence.Expectation{verdict.LostAtSteps(disruption.DrainStep).On(evidence.Fresh)},
	}, harness.Twin{
		ID: "undrained-upgrade",
		Claim: "upgrading Kubernetes fails requests at drains and in the app's own rollout, and at no other step, when pods exit at once and " +
			"no budget is asked",
		Change: func(s *harness.Scenario) { s.App.PreStopSleep, s.App.Linger, s.App.OnTerm = 0, 0, fixtures.Exit },
		Kind: toLatest("undrained-upgrade", "workers are emptied for it at once",
			disruption.UpgradePath{Drain: disruption.Drain{Deletes: true}}),
		Expect: []evidence.Expectation{
			verdict.LostAtSteps(disruption.DrainStep),
			verdict.LossesAtSteps(lossLasts, disruption.DrainStep, disruption.RolloutStep),
		},
	})
}

// Kubernetes versions before the upgrades, and after each.
const from = "v1.35"

var to = []string{"v1.36", "v1.37"}

// Versions of the app, which is rolled out when the cluster has reached the first of these.
const before, after = harness.OldVersion, harness.NewVersion

// Our own choices: how long the upgrades may take, how long until the cluster is whole, and how long after the beginning of a step
// a lost request still counts for the step. A drain without a budget is over when the new pods are ready, which start on a busy
// host.
const (
	lasts     = 15 * time.Minute
	whole     = 5 * time.Minute
	lossLasts = time.Minute
)

// toLatest returns a load on a cluster that is upgraded to the latest version, with a rollout of the app in the middle. Drains take one
// pod at a time. An upgrade lasts long, and a request every 40 ms sees each of its steps.
func toLatest(id, does string, path disruption.UpgradePath) harness.UnderLoad {
	path.Drain.Budget = new(intstr.FromInt32(1))
	path.Versions, path.RollOut = to, rollOut
	return harness.UnderLoad{
		Rate: 25, Rollout: rollout.UpdateMeanwhile(before, after), FreshCluster: &harness.FreshCluster{Kubernetes: from, Upgrades: to},
		Disruption: &disruption.Disruption{
			ID: id, Does: "Kubernetes is upgraded twice, and " + does,
			Nodes: []string{disruption.ControlPlane, disruption.Worker, disruption.Worker2},
			// A node whose kubelet restarts may be shown as not ready for a moment, and the watch of its pods' logs breaks; the API server
			// is away twice for each version.
			Expects: []string{"node-unready", "watch-blind", "pod-log-lost", "observer-lost"},
			Do:      path.Do, Lasts: lasts, Whole: whole,
		},
	}
}

// rollOut makes the write that the scenarios' rollout strategy leaves to the disruption.
func rollOut(ctx context.Context, s disruption.Stage) error {
	if err := rollout.Update(before, after).Begin(ctx, s.Cluster.Client(), s.Into, s.App); err != nil {
		return err
	}
	return rollout.Await(ctx, s.Cluster.Client(), s.Namespace, s.App)
}
