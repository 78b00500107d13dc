package during

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/verdict/kept"
)

// A Change is a rollout that Rollcall makes itself, instead of a user's command. Those of a run are recorded one after the other.
type Change struct {
	ID       string                            // of its recording
	Does     func() string                     // says what it does, in a main clause: Deployment web restarts
	Loses    bool                              // clients must lose requests: it shows that a loss would be seen
	Unjudged bool                              // what clients lose is shown, and not judged
	MustEnd  bool                              // a rollout that cannot end has failed; otherwise nobody knows what its rest would cost
	Allows   func() int                        // thousandths of its requests that a client may lose; nil, or 0: as the options say
	Prepare  func(context.Context, Site) error // deploys or changes the app before the load; [run.ErrNothing]: this is not recorded
	Do       func(context.Context) error       // begins the rollout, when the load is steady
	Judged   Judged                            // nil: nobody wants to know
	Rolls    Workload

	Manifest   map[string]any // of the workload, as its owner wrote it; nil: it was changed since
	Autoscaled string         // autoscaler that sets the replicas which Manifest has too; empty: none
}

// Judged is called when a recording is judged. unfinished says why what was done did not come to its end; it is empty if it did.
type Judged func(rec kept.Recording, unfinished string)

// A Workload is what a change rolls out. Pods of others may be behind the same Service.
type Workload struct {
	Kind, Name string
	Has        func(*corev1.Pod) bool // reports whether a pod is its own
}

// A Part is what is recorded on one cluster.
type Part struct {
	Prepared               // options, which say what cluster
	Changes  []Change      // recorded one after the other
	Created  Created       // by the changes; deleted at the end if the cluster stays
	Result   func() string // what the recordings show together, for a line below the report; nil, or empty: nothing
	record   recordFunc    // of the plan
}

// Created is what changes created on a cluster. Stays may be called from another goroutine.
type Created interface {
	Remove(context.Context) error // deletes it; the error has a line for each object that stays
	Stays() []string              // names what has not been deleted yet
}

// A Site is where a change is made.
type Site struct {
	Cluster cluster.Cluster
	Folder  string       // of the run
	Say     func(string) // prints a line for the user
}

// RunChanges records what the changes of each part cost, one part after the other, in one run folder. It returns the exit code of the
// verdict, as Run does. line is the command line of the program.
func RunChanges(ctx context.Context, at Terminal, verb, line string, reports run.Reports, parts ...Part) (int, error) {
	for i := range parts {
		parts[i].record = parts[i].plan.Record
	}
	return recorder{settings: parts[0].settings, line: line, parts: parts, reports: reports}.inNewFolder(ctx, at, verb, nil)
}

// inNewFolder makes a run folder and records into it.
func (r recorder) inNewFolder(ctx context.Context, at Terminal, verb string, command []string) (int, error) {
	r.root = r.plan.Layout.Runs()
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
func (m *maintenance) scenariosOf(changes []Change) (list []run.ScenarioFunc) {
	for _, change := range changes {
		list = append(list, func(ctx context.Context, c cluster.Cluster) (harness.Scenario, error) {
			m.change, m.id, m.does, m.unfinished = &change, change.ID, change.Does(), ""
			return m.scenarioOn(ctx, c)
		})
	}
	return list
}

// telling returns a reading that also tells the change which is recorded.
func (m *maintenance) telling(reading run.Reading) run.Reading {
	return func(of evidence.Run) (show func(evidence.Hit, error), judged func(kept.Recording)) {
		show, observed := reading(of)
		return show, func(rec kept.Recording) {
			observed(rec)
			if m.change != nil && m.change.Judged != nil {
				m.change.Judged(rec, m.unfinished)
			}
		}
	}
}

// stays reports whether the cluster stays after the recordings.
func (m *maintenance) stays() bool {
	return m.cluster != nil && (m.cluster.Attached() || m.plan.Options.Keep)
}
