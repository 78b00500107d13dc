package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/rollcall/harness/sharedfile"
)

// Sweep removes the clusters that killed runs of this user left: on our network, with a state folder, not kept, and locked by
// nobody. If all is set, it removes kept ones too. It prints to w what it removes.
func Sweep(ctx context.Context, w io.Writer, all bool) error { return sweep(ctx, w, docker{}, all) }

func sweep(ctx context.Context, w io.Writer, e engine, all bool) error {
	names, err := e.Clusters(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := sweepOne(w, e, name, all); err != nil {
			return err
		}
	}
	return nil
}

func sweepOne(w io.Writer, e engine, name string, all bool) error {
	state, lockFile, err := paths(name)
	if err != nil {
		return err
	}
	held, err := sharedfile.TryLock(lockFile)
	if errors.Is(err, sharedfile.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	_, elsewhere := os.Stat(state) // another user's Rollcall keeps its state elsewhere
	if elsewhere != nil || hasNote(state) && !all {
		return held.Release()
	}
	fmt.Fprintf(w, "removing cluster %s, which nobody uses\n", name)
	r, err := e.StartReaper(name, state, held)
	if err == nil {
		err = r.remove()
	}
	return errors.Join(err, held.Release())
}

// removeNodes removes the node containers that a killed run left, or those of a kept cluster of another spec.
func (c *Cluster) removeNodes(ctx context.Context) error {
	ids, err := c.engine.Containers(ctx, c.spec.Name, true)
	if err != nil || len(ids) == 0 {
		return err
	}
	return c.engine.Remove(ctx, ids)
}
