package cluster

import (
	"context"
	"fmt"
)

// A Change is something about a cluster that a scenario needs to be otherwise.
type Change interface {
	fmt.Stringer
	// Make returns when the change is in force. What undoes it is nil if there is nothing to undo; it is given
	// beside an error too. A Lack is that it cannot be made here.
	Make(ctx context.Context, c *Cluster) (undo func(context.Context) error, err error)
}

// A Lack is why a cluster cannot be changed: no fault, but a reason to skip what needs the change.
type Lack struct{ Because string }

// Error returns the reason.
func (l *Lack) Error() string { return l.Because }

// lack is nil for no reason.
func lack(because string) error {
	if because == "" {
		return nil
	}
	return &Lack{because}
}
