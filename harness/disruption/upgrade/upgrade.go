// Package upgrade brings a cluster of our own to later minor versions of Kubernetes with kubeadm, as its documentation says: the
// control plane, then one worker after the other, each of which is drained. Every step is marked in the recording.
package upgrade

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/harness/cluster"
	"rollcall/harness/disruption"
	"rollcall/harness/nodeimage"
)

// A Path is the way from one version to the last of some others, one minor after the other: kubeadm leaves none out.
type Path struct {
	Versions []string // as [nodeimage.Resolve] takes them, in order
	// Budget is how many of the app's pods may be away at a time, by a PodDisruptionBudget.
	Budget intstr.IntOrString
	// Deletes has drains delete pods, as `kubectl drain --disable-eviction` does, so that no PodDisruptionBudget holds them up.
	Deletes bool
	// RollOut rolls the app out between the first two versions.
	RollOut disruption.Act
}

// A Step is a part of an upgrade that somebody has to wait for.
type Step struct {
	Node string // whole name; empty: none, or all
	What string // as the mark says it
	Do   func(context.Context) error

	limit time.Duration // 0: stepLimit
}

// Words in the names of steps at which an app can lose requests, whatever its cluster does.
const (
	DrainStep   = "drain"
	RolloutStep = "rollout"
)

// Limits of the harness's own. On 2 cores kubeadm took 3 minutes for a control plane.
const (
	stepLimit  = 5 * time.Minute
	applyLimit = 15 * time.Minute
)

// Do upgrades the cluster. The error of a step that fails names it, its node, and what was printed last.
func (p Path) Do(ctx context.Context, s disruption.Stage) error {
	if err := createBudget(ctx, s, p.Budget); err != nil {
		return err
	}
	for i, asked := range p.Versions {
		to, err := nodeimage.UpgradeTo(ctx, s.Cluster.Output(), asked)
		if err != nil {
			return err
		}
		steps, err := p.steps(ctx, s, to)
		if err != nil {
			return err
		}
		if i == 0 && p.RollOut != nil {
			steps = append(steps, rollOut(s, p.RollOut))
		}
		if err := run(ctx, s, steps); err != nil {
			return fmt.Errorf("upgrade to %s: %w", to.Version, err)
		}
	}
	return nil
}

// steps are those of one version.
func (p Path) steps(ctx context.Context, s disruption.Stage, to nodeimage.Upgrade) ([]Step, error) {
	workers, err := s.Cluster.Workers(ctx)
	if err != nil {
		return nil, err
	}
	u := upgrade{s.Cluster, to}
	steps := u.controlPlane(s.Node(disruption.ControlPlane), workers)
	for _, worker := range workers {
		steps = append(steps, u.worker(worker, drain{s, worker, p.Deletes})...)
	}
	return append(steps, u.complete()), nil
}

// run marks and takes steps in order, until one fails.
func run(ctx context.Context, s disruption.Stage, steps []Step) error {
	for _, step := range steps {
		s.Step(strings.TrimPrefix(step.Node, s.Cluster.Name()+"-"), step.What)
		if err := step.take(ctx); err != nil {
			on := ""
			if step.Node != "" {
				on = " on " + step.Node
			}
			return fmt.Errorf("step %q%s: %w", step.What, on, err)
		}
	}
	return nil
}

func (s Step) take(ctx context.Context) error {
	limit := max(s.limit, stepLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
	defer cancel()
	return s.Do(ctx)
}

// rollOut is over when clients know of it.
func rollOut(s disruption.Stage, act disruption.Act) Step {
	return Step{What: RolloutStep, Do: func(ctx context.Context) error {
		if err := act(ctx, s); err != nil {
			return err
		}
		disruption.Pause(ctx, rulesFollow)
		return context.Cause(ctx)
	}}
}

// An upgrade is that of a cluster to one version.
type upgrade struct {
	cluster.Changeable
	to nodeimage.Upgrade
}
