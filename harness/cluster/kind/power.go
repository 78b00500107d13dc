package kind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/command"
)

// Power pauses, stops, starts or restarts a node's container. It looks the node up in c.nodes, because kind does not list containers
// that are stopped.
func (c *Cluster) Power(ctx context.Context, name string, do cluster.Power) error {
	i := slices.IndexFunc(c.nodes, func(n node) bool { return n.String() == name })
	if i < 0 {
		return fmt.Errorf("cluster: no node %s", name)
	}
	return c.nodes[i].Power(ctx, do)
}

// startNodes starts nodes that a killed run left stopped or paused.
func (c *Cluster) startNodes(ctx context.Context) error {
	ids, err := c.engine.Containers(ctx, c.spec.Name, true)
	if err != nil || len(ids) == 0 {
		return err
	}
	return c.engine.Start(ctx, ids)
}

// AwaitReady waits until the cluster is as ready as after Open.
func (c *Cluster) AwaitReady(ctx context.Context) error { return c.readyStep().takeNamed(ctx) }

// NodeContainers returns the names of the nodes by the id of their container. The nodes' processes run on this host.
func (c *Cluster) NodeContainers(ctx context.Context) (map[string]string, error) {
	nodes := map[string]string{}
	for _, n := range c.nodes {
		id, err := n.ContainerID(ctx)
		if err != nil {
			return nil, err
		}
		nodes[id] = n.String()
	}
	return nodes, nil
}

func (n dockerNode) ContainerID(ctx context.Context) (string, error) {
	id, err := command.Run(ctx, "docker inspect --format {{.Id}} %s", n)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	return strings.TrimSpace(id), nil
}

func (n dockerNode) Power(ctx context.Context, do cluster.Power) error {
	if _, err := command.Run(ctx, "docker %s %s", do, n); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}
