package cluster

import (
	"context"
	"fmt"

	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"rollcall/harness/command"
)

// controlShares is what a control plane node gets of the host's processors where a worker gets 1024.
const controlShares = 8192

// favourControlPlane keeps pods that start on the workers from making the API server wait, as they cannot where it has a
// machine of its own. With three walks at once on 2 cores 1 % of its answers took 1.6 s or longer without, 0.16 s with it.
func (c *Cluster) favourControlPlane(ctx context.Context) error {
	nodes, err := nodeutils.ControlPlaneNodes(c.nodes)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if _, err := command.Run(ctx, "docker update --cpu-shares %d %s", controlShares, node); err != nil {
			return fmt.Errorf("give %s its share of the processors: %w", node, err)
		}
	}
	return nil
}
