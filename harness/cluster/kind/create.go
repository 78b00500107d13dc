package kind

import (
	"context"
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// Timeouts of the harness: creating takes about 30 s on the reference host, reusing a kept cluster 5 s.
const (
	createTimeout = 10 * time.Minute
	reuseTimeout  = 90 * time.Second
)

// creation makes a cluster. The nodes get their images while they wait for the control plane, and their network as soon as
// they join.
func creation(config *v1alpha4.Cluster) []Action {
	whileJoining := []Action{loadImages()}
	if config.Networking.DisableDefaultCNI {
		whileJoining = append(whileJoining, installNetwork(len(config.Nodes)))
	}
	return []Action{
		{"start the reaper", startReaper},
		{"remove an earlier cluster's nodes", removeNodes},
		{"check the ports", func(_ context.Context, c *Cluster) error { return checkPorts(c.spec.Config, config) }},
		{"make the state folder", makeStateFolder},
		within(createTimeout, atOnce("create",
			createNodes(config),
			inOrder("prepare the nodes", awaitCredentials(), atOnce("while they join", whileJoining...)),
		)),
		{"connect", connect},
		{"raise the control plane's CPU shares", raiseControlPlaneShares},
		becomeReady(),
		proxiesLeaveCPUCgroup(),
		{"ask for the version", identify},
		{"keep", keepIfAsked},
	}
}

func makeStateFolder(_ context.Context, c *Cluster) error {
	if err := os.RemoveAll(c.state); err != nil {
		return err
	}
	if err := os.MkdirAll(c.state, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "cluster %s: creating its nodes from %s\n", c.spec.Name, c.spec.Image)
	return nil
}

// createNodes runs kind. kind cannot be cancelled: when ctx ends, its containers are removed under it, and it fails at once.
func createNodes(config *v1alpha4.Cluster) Action {
	return Action{"run kind", func(ctx context.Context, c *Cluster) error {
		made := make(chan error, 1)
		go func() { made <- c.engine.Create(config, c.Kubeconfig()) }()
		select {
		case err := <-made:
			return err
		case <-ctx.Done():
		}
		for {
			// Again and again: a container that kind had asked for may only now be there.
			err := removeNodes(context.WithoutCancel(ctx), c)
			select {
			case <-made:
				if err != nil {
					return fmt.Errorf("%w: %w", context.Cause(ctx), err)
				}
				return context.Cause(ctx)
			case <-time.After(time.Second):
			}
		}
	}}
}
