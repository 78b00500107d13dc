package kind

import (
	"context"
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// createSteps returns the steps that create a cluster. The nodes get their images while they wait for the control plane, and their
// network as soon as they join.
func (c *Cluster) createSteps(config *v1alpha4.Cluster) []step {
	whileJoining := []step{{"load images", c.loadImages}}
	if config.Networking.DisableDefaultCNI {
		whileJoining = append(whileJoining, step{"install the network", func(ctx context.Context) error {
			return c.installNetwork(ctx, len(config.Nodes))
		}})
	}
	return []step{
		{"start the reaper", c.startReaper},
		{"remove an earlier cluster's nodes", c.removeNodes},
		{"check the ports", func(context.Context) error { return checkPorts(c.spec.Config, config) }},
		{"make the state folder", c.makeStateFolder},
		withTimeout(createTimeout, inParallel("create",
			step{"run kind", func(ctx context.Context) error { return c.createNodes(ctx, config) }},
			inOrder("prepare the nodes", step{"await credentials", c.awaitCredentials}, inParallel("while they join", whileJoining...)),
		)),
		{"connect", c.connect},
		{"raise the control plane's CPU shares", c.raiseControlPlaneShares},
		c.readyStep(),
		{"move proxies to the root CPU cgroup", c.ProxiesLeaveCPUCgroup},
		{"ask for the version", c.readVersion},
		{"keep", c.keepIfWanted},
	}
}

func (c *Cluster) makeStateFolder(context.Context) error {
	if err := os.RemoveAll(c.state); err != nil {
		return err
	}
	if err := os.MkdirAll(c.state, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "cluster %s: creating its nodes from %s\n", c.spec.Name, c.spec.Image)
	return nil
}

// createNodes runs kind, which cannot be cancelled: when ctx ends, createNodes removes kind's containers, which makes it fail.
func (c *Cluster) createNodes(ctx context.Context, config *v1alpha4.Cluster) error {
	made := make(chan error, 1)
	go func() { made <- c.engine.Create(config, c.Kubeconfig()) }()
	select {
	case err := <-made:
		return err
	case <-ctx.Done():
	}
	for {
		// Repeated, because a container that kind requested before may appear late.
		err := c.removeNodes(context.WithoutCancel(ctx))
		select {
		case <-made:
			if err != nil {
				return fmt.Errorf("%w: %w", context.Cause(ctx), err)
			}
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}
