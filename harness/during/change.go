package during

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"rollcall/harness/cluster"
)

// A Change is a rollout of ours, in place of a command of somebody else's.
type Change struct {
	Verb, Line string // of the program, and all words that it was called with
	Does       string // in words
	// Prepare makes the app on a cluster that is open; what it says is for whoever waits.
	Prepare func(ctx context.Context, c cluster.Cluster, say func(string)) error
	Do      func(context.Context) error // begins it, when the load is steady
	Remove  func(context.Context) error // removes what Prepare and Do made
}

// RunChange records what a change costs, and returns the exit code of the verdict, as Run does.
func RunChange(ctx context.Context, at Terminal, o Options, change Change) (int, error) {
	a, err := o.prepare()
	if err != nil {
		return 0, err
	}
	return record(ctx, at, recorder{asked: a, line: change.Line, change: &change, record: a.runner.Record}, change.Verb, nil)
}

// record makes a run folder, and has the recorder record into it.
func record(ctx context.Context, at Terminal, r recorder, verb string, command []string) (int, error) {
	r.root = r.runner.Layout().Runs()
	if err := checkFree(verb, r.root); err != nil {
		return 0, err
	}
	var err error
	if r.folder, err = newFolder(r.root); err != nil {
		return 0, err
	}
	code, err := r.run(ctx, at, command)
	if last, unknown := current(r.root); unknown == nil && last == r.folder {
		err = errors.Join(err, os.Remove(filepath.Join(r.root, linkName)))
	}
	return code, err
}

// remove removes what a change made, where the cluster stays.
func (m *maintenance) remove(ctx context.Context) error {
	if m.change == nil || m.cluster == nil || !m.cluster.Attached() && !m.runner.Keep {
		return nil
	}
	return m.change.Remove(context.WithoutCancel(ctx))
}

// does says what is recorded, in words.
func (r recorder) does(command []string) string {
	if r.change != nil {
		return r.change.Does
	}
	return doing(command)
}
