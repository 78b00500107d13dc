package during

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/runner"
)

// A Change is a rollout that Rollcall makes itself, instead of a user's command. Those of a run are recorded one after the other.
type Change struct {
	ID      string                            // of its recording
	Does    string                            // what it does, in a main clause: Deployment web restarts
	Loses   bool                              // clients must lose requests: it shows that a loss would be seen
	Prepare func(context.Context, Site) error // deploys or changes the app before the load
	Do      func(context.Context) error       // begins the rollout, when the load is steady

	Manifest map[string]any // of the workload, as its owner wrote it; nil: it was changed since
}

// Created is what changes created on a cluster. Stays may be called from another goroutine.
type Created interface {
	Remove(context.Context) error // deletes it; the error has a line for each object that stays
	Stays() []string              // names what has not been deleted yet
}

// A Site is where a change is made.
type Site struct {
	Cluster cluster.Cluster
	folder  string
	Say     func(string) // prints a line for the user
}

// Folder returns the run folder.
func (s Site) Folder() string { return s.folder }

// Recording returns the folder of an earlier recording of the run. There is only one attempt of each.
func (s Site) Recording(id string) (folder string) {
	return evidence.ScenarioFolder(s.folder, s.Cluster.Mode(), suite, id, 1)
}

// RunChanges records what changes cost, and returns the exit code of the verdict, as Run does. line is the command line of the program;
// created is deleted at the end if the cluster stays.
func (p Prepared) RunChanges(ctx context.Context, at Terminal, verb, line string, changes []Change, created Created) (int, error) {
	r := recorder{settings: p.settings, line: line, changes: changes, created: created, record: p.runner.Record}
	return r.inNewFolder(ctx, at, verb, nil)
}

// inNewFolder makes a run folder and records into it.
func (r recorder) inNewFolder(ctx context.Context, at Terminal, verb string, command []string) (int, error) {
	r.root = r.runner.Layout().Runs()
	var err error
	if r.folder, err = newFolder(verb, r.root); err != nil {
		return 0, err
	}
	code, err := r.run(ctx, at, command)
	if last, unknown := current(r.root); unknown == nil && last == r.folder {
		err = errors.Join(err, os.Remove(filepath.Join(r.root, linkName)))
	}
	return code, err
}

// scenariosOf returns a function for each change that makes the scenario of it. m serves one change after the other.
func (m *maintenance) scenariosOf(changes []Change) (asks []runner.Asks) {
	for _, change := range changes {
		asks = append(asks, func(ctx context.Context, c cluster.Cluster) (harness.Scenario, error) {
			m.change, m.id, m.does = &change, change.ID, change.Does
			return m.scenarioOn(ctx, c)
		})
	}
	return asks
}

// stays reports whether the cluster stays after the recordings.
func (m *maintenance) stays() bool {
	return m.cluster != nil && (m.cluster.Attached() || m.runner.Keep)
}
