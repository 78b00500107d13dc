package cluster

import (
	"context"
	"fmt"
)

// A Change is a change of a cluster that a scenario needs, such as another setting of kube-proxy.
type Change interface {
	fmt.Stringer
	// Make makes the change and waits until it is in force. Undo is nil if there is nothing to undo, and may be set
	// beside an error. The error is an [Unsupported] where the change cannot be made.
	Make(ctx context.Context, c Changeable) (undo func(context.Context) error, err error)
}

// Make makes a change to a cluster. For somebody else's cluster the error is an [Unsupported].
func Make(ctx context.Context, c Cluster, change Change) (undo func(context.Context) error, err error) {
	ours, err := Ours(c)
	if err != nil {
		return nil, err
	}
	return change.Make(ctx, ours)
}

// Ours returns the cluster as one that can be changed. For somebody else's cluster the error is an [Unsupported].
func Ours(c Cluster) (Changeable, error) {
	ours, ok := c.(Changeable)
	if !ok {
		return nil, &Unsupported{"Rollcall changes only clusters that it made"}
	}
	return ours, nil
}

// Unsupported is the error of a change that a cluster does not support: the scenario that needs it is skipped.
type Unsupported struct{ Because string }

// Error returns the reason.
func (u *Unsupported) Error() string { return u.Because }
