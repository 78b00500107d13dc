package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence/store"
)

// Cleanup deletes what the recording created and undoes its changes of the cluster. It does not wait until the namespaces are
// gone. If a change cannot be undone, no later recording uses the cluster. If the recording is kept, Cleanup writes the total duration into
// the folder.
func (r *Recording) Cleanup(ctx context.Context, kept bool) error {
	var err error
	if r.Cluster != nil {
		err = r.Lease.Cleanup(ctx, r.Cluster.Client(), r.observers != nil)
	}
	for _, undo := range slices.Backward(r.undo) {
		if failed := undo(ctx); failed != nil {
			r.condemn(failed)
			err = errors.Join(err, failed)
		}
	}
	if !kept {
		return err
	}
	return errors.Join(err, store.SetDuration(r.Folder, time.Since(r.began)))
}

// condemn has no later recording use the cluster, if it is ours.
func (r *Recording) condemn(because error) {
	if ours, err := cluster.Ours(r.Cluster); err == nil {
		if err := ours.Condemn(because.Error()); err != nil {
			fmt.Fprintf(r.Out, "%s %s: %v\n", r.run.Mode, r.run.Scenario, err)
		}
	}
}
