package change

import (
	"context"
	"time"

	"rollcall/harness/cluster"
)

// pollEvery paces looks at a change that is not in force yet.
const pollEvery = 200 * time.Millisecond

// UndoAll takes back every change that a killed run may have left in a cluster.
func UndoAll(ctx context.Context, c cluster.Changeable) error {
	for _, undo := range []func(context.Context, cluster.Changeable) error{
		restoreComponents, restoreProxyConfig, restoreProxies, removeMetrics,
	} {
		if err := undo(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
