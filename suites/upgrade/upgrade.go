// Package upgrade asks what an upgrade of Kubernetes itself costs the clients of an app: with kubeadm, from one minor version to the
// next and to the one after that, the control plane first and then node by node, under load. Each scenario takes a cluster of its
// own, and throws it away.
package upgrade

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/disruption"
	"rollcall/harness/rollout"
)

// All lists the scenarios of this suite.
func All() []harness.Scenario {
	return []harness.Scenario{drainedUpgrade(), hurriedUpgrade(), undrainedUpgrade()}
}

// The way that the cluster goes.
const from = "v1.35"

var to = []string{"v1.36", "v1.37"}

// Versions of the app, which is rolled out when the cluster has come to the first of its versions.
const before, after = harness.OldVersion, harness.NewVersion

// rate is low: an upgrade lasts long, and a request every 40 ms sees each of its steps.
const rate = 25

// Times of the harness's own: what it may take, and how long after a step has begun a request may be lost that the step costs. A
// drain without a budget is over when the new pods are ready, which start on a busy host.
const (
	lasts     = 15 * time.Minute
	whole     = 5 * time.Minute
	lossLasts = time.Minute
)

// drains lets go of one pod at a time.
func drains() disruption.Drain { return disruption.Drain{Budget: new(intstr.FromInt32(1))} }

// toLatest is an upgrade all the way, with a rollout of the app in the middle.
func toLatest(id, does string, path disruption.UpgradePath) *disruption.Disruption {
	path.Versions, path.RollOut = to, rollOut
	return &disruption.Disruption{
		ID: id, Does: does, Nodes: []string{disruption.ControlPlane, disruption.Worker, disruption.Worker2},
		// A node whose kubelet starts may show as not ready for a moment, and what follows its pods' logs breaks; the API server is
		// away twice for each version.
		Expects: []string{"node-unready", "watch-blind", "pod-log-lost", "observer-lost"},
		Do:      path.Do, Lasts: lasts, Whole: whole,
	}
}

// rollOut makes the write that the strategy of the scenarios leaves to their disruption.
func rollOut(ctx context.Context, s disruption.Stage) error {
	to := fixtures.Destination{Namespace: s.Namespace, Images: s.Images}
	if err := rollout.Update(before, after).Begin(ctx, s.Cluster.Client(), to, s.App); err != nil {
		return err
	}
	return rollout.Await(ctx, s.Cluster.Client(), s.Namespace, s.App)
}
