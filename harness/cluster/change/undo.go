package change

import (
	"context"
	"time"

	"example.com/rollcall/harness/cluster"
)

// pollEvery is the pause between two looks at a change that is not in force yet.
const pollEvery = 200 * time.Millisecond

// UndoAll undoes every change that a killed run may have left in a cluster.
func UndoAll(ctx context.Context, c cluster.Changeable) error {
	restoreConfig := func(ctx context.Context, c cluster.Changeable) error {
		if needsKubeProxy(c) != nil {
			return nil // nobody changed what there is not
		}
		return restoreProxyConfig(ctx, c, c.Nodes())
	}
	for _, undo := range []func(context.Context, cluster.Changeable) error{
		restoreComponents, restoreConfig, restoreProxies, removeMetrics,
	} {
		if err := undo(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
