package cluster

import (
	"context"
	"fmt"
)

// A Change is something about a cluster that a scenario needs to be otherwise.
type Change interface {
	fmt.Stringer
	// Make returns when the change is in force. What undoes it is nil if there is nothing to undo; it is given
	// beside an error too.
	Make(ctx context.Context, c *Cluster) (undo func(context.Context) error, err error)
}
