package disruption

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/provision"
)

// An UpgradePath upgrades a cluster of our own to one version after the other, without skipping a minor, which kubeadm does not support.
// It does what kubeadm's documentation says: first the control plane, then one worker after the other, each of which is drained. Every
// step is marked in the recording.
type UpgradePath struct {
	Versions []string // as [kube.Resolve] takes them, in order
	// Drain says how workers are drained; its Node is replaced by each worker.
	Drain Drain
	// Hurries goes on as soon as the API server answers, as people do, even if controllers and nodes do not follow changes yet.
	Hurries bool
	// RollOut rolls the app out between the first two versions.
	RollOut Act
}

// Words in the names of steps at which an app can lose requests on any cluster.
const (
	DrainStep   = "drain" // the step of [Drain]
	RolloutStep = "rollout"
)

// rulesFollow is how long the rules of a node may still lead to pods that are gone: minSyncPeriod is 1 s. The next step begins after it,
// so that requests lost meanwhile count for the step that ended the pods.
const rulesFollow = 5 * time.Second

// Do upgrades the cluster. The error names the step that failed, its node, and what was printed last.
func (p UpgradePath) Do(ctx context.Context, s Stage) error {
	for i, asked := range p.Versions {
		to, err := provision.UpgradeTo(ctx, s.Cluster.Output(), asked)
		if err != nil {
			return err
		}
		u := upgrade{s.Cluster, s, to, p.Hurries}
		steps, err := p.steps(ctx, u)
		if err != nil {
			return err
		}
		if i == 0 && p.RollOut != nil {
			steps = append(steps, u.rollOut(p.RollOut))
		}
		if err := runSteps(ctx, s, steps); err != nil {
			return fmt.Errorf("upgrade to %s: %w", to.Version, err)
		}
	}
	return nil
}

// An upgrade upgrades a cluster to one version.
type upgrade struct {
	cluster.Changeable
	stage   Stage
	to      kube.Upgrade
	hurries bool
}

// steps returns the steps of an upgrade to one version.
func (p UpgradePath) steps(ctx context.Context, u upgrade) ([]step, error) {
	workers, err := u.Workers(ctx)
	if err != nil {
		return nil, err
	}
	steps := u.controlPlane(u.stage.Node(ControlPlane), workers)
	for _, worker := range workers {
		drain := p.Drain
		drain.Node = u.short(worker)
		steps = append(steps, u.worker(worker, drain)...)
	}
	return append(steps, u.complete()), nil
}

// short returns a node's name without the cluster's.
func (u upgrade) short(node string) string { return strings.TrimPrefix(node, u.Name()+"-") }

// rollOut returns the step that rolls the app out and waits until the nodes' rules follow.
func (u upgrade) rollOut(act Act) step {
	return step{what: RolloutStep, do: func(ctx context.Context) error {
		if err := act(ctx, u.stage); err != nil {
			return err
		}
		return u.settled(ctx)
	}}
}
