package cluster

import (
	"context"
	"fmt"
)

// A Change is something about a cluster that a scenario needs to be otherwise.
type Change interface {
	fmt.Stringer
	// Make returns when the change is in force. What undoes it is nil if there is nothing to undo; it is given
	// beside an error too. An [Unsupported] is that it cannot be made here.
	Make(ctx context.Context, c Changeable) (undo func(context.Context) error, err error)
}

// Make makes a change to a cluster, which is [Unsupported] where it is somebody else's.
func Make(ctx context.Context, c Cluster, change Change) (undo func(context.Context) error, err error) {
	ours, err := Ours(c)
	if err != nil {
		return nil, err
	}
	return change.Make(ctx, ours)
}

// Ours is a cluster of our own; [Unsupported] for somebody else's.
func Ours(c Cluster) (Changeable, error) {
	ours, ok := c.(Changeable)
	if !ok {
		return nil, &Unsupported{"it is not ours to change"}
	}
	return ours, nil
}

// Unsupported is why a cluster cannot be changed: no fault, but a reason to skip what needs the change.
type Unsupported struct{ Because string }

// Error returns the reason.
func (u *Unsupported) Error() string { return u.Because }
