package kind

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// loadImages imports the spec's archives into every node, without a registry.
func (c *Cluster) loadImages(ctx context.Context) error {
	nodes, err := c.engine.Nodes(c.spec.Name)
	if err != nil {
		return err
	}
	var group errgroup.Group
	for _, n := range nodes {
		group.Go(func() error {
			for _, archive := range c.spec.Archives {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := n.LoadImage(archive.Data); err != nil {
					return fmt.Errorf("%s into %s: %w", archive.Ref, n, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// LoadImage imports an image into a node.
func (c *Cluster) LoadImage(_ context.Context, node string, archive []byte) error {
	n, err := c.findNode(node)
	if err != nil {
		return err
	}
	return n.LoadImage(archive)
}
