package record

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence/store"
)

// Cleanup deletes what the recording created and undoes its changes of the cluster. It does not wait until the namespaces are
// gone. If the recording is kept, it writes the total duration into the folder.
func (r *Recording) Cleanup(ctx context.Context, kept bool) error {
	var err error
	if r.Cluster != nil {
		err = r.Lease.Cleanup(ctx, r.Cluster.Client(), r.observers != nil)
	}
	for _, undo := range slices.Backward(r.undo) {
		err = errors.Join(err, undo(ctx))
	}
	if !kept {
		return err
	}
	return errors.Join(err, store.SetDuration(r.Folder, time.Since(r.began)))
}
