package kind

import (
	"context"
	"fmt"
	"slices"

	"rollcall/harness/cluster"
	"rollcall/harness/command"
)

// Power does something to a node's container. It asks for no list of the nodes' containers: kind's has none that are off.
func (c *Cluster) Power(ctx context.Context, name string, do cluster.Power) error {
	i := slices.IndexFunc(c.nodes, func(n node) bool { return n.String() == name })
	if i < 0 {
		return fmt.Errorf("cluster: there is no node %s", name)
	}
	return c.nodes[i].Power(ctx, do)
}

// startNodes starts what a killed run had switched off.
func startNodes(ctx context.Context, c *Cluster) error {
	ids, err := c.engine.Containers(ctx, c.spec.Name, true)
	if err != nil || len(ids) == 0 {
		return err
	}
	return c.engine.Start(ctx, ids)
}

// AwaitReady returns when the cluster is what Open promises.
func (c *Cluster) AwaitReady(ctx context.Context) error { return becomeReady().do(ctx, c) }

func (n dockerNode) Power(ctx context.Context, do cluster.Power) error {
	if _, err := command.Run(ctx, "docker %s %s", do, n); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}
