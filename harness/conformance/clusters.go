package conformance

import (
	"cmp"
	"context"
	"io"
	"time"

	"rollcall/harness"
	"rollcall/harness/nodeimage"
	"rollcall/harness/runner"
	"rollcall/harness/verdict"
)

// Clusters are what the scenarios of a run need: kind clusters that are made on this host, one that is there already, or fakes
// in tests.
type clusters interface {
	// check refuses what would keep a run from beginning, and prints what it finds.
	check(ctx context.Context, w io.Writer, session string) error
	// imageTime is how long the node images take that have to be made first: of the run's clusters, if it has any, and of
	// further versions.
	imageTime(ctx context.Context, shared bool, further []string) (time.Duration, error)
	// open opens a cluster of a mode, or none where each scenario has its own, or says why there is none.
	open(ctx context.Context, w io.Writer, mode string, none bool) (c opened, skip string, err error)
}

// An opened cluster is one on which scenarios are recorded and judged, side by side as far as their turns come.
type opened interface {
	Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error)
	Close(ctx context.Context) error
}

// clustersOf are those that the options of a runner ask for.
func clustersOf(prepared *runner.Runner) clusters {
	if prepared.Attached() {
		return attachedCluster{prepared}
	}
	return kindClusters{prepared}
}

// kindClusters are made, one for each mode.
type kindClusters struct{ runner *runner.Runner }

func (k kindClusters) check(ctx context.Context, w io.Writer, _ string) error {
	facts, err := k.runner.Check(ctx, w)
	return cmp.Or(err, facts.Print(w))
}

func (k kindClusters) imageTime(ctx context.Context, shared bool, further []string) (sum time.Duration, err error) {
	versions := map[string]bool{}
	if shared {
		versions[k.runner.Version()] = true
	}
	for _, asked := range further {
		version, err := nodeimage.Resolve(asked)
		if err != nil {
			return 0, err
		}
		versions[version] = true
	}
	for version := range versions {
		takes, err := nodeimage.Expected(ctx, version)
		if err != nil {
			return 0, err
		}
		sum += takes
	}
	return sum, nil
}

func (k kindClusters) open(ctx context.Context, w io.Writer, mode string, none bool) (opened, string, error) {
	if none {
		return k.runner.OpenNone(ctx, w, mode)
	}
	return k.runner.Open(ctx, w, mode)
}

// attachedCluster is somebody else's.
type attachedCluster struct{ runner *runner.Runner }

func (a attachedCluster) check(ctx context.Context, w io.Writer, session string) error {
	return a.runner.Preflight(ctx, w, session)
}

func (a attachedCluster) imageTime(context.Context, bool, []string) (time.Duration, error) {
	return 0, nil
}

func (a attachedCluster) open(ctx context.Context, w io.Writer, mode string, _ bool) (opened, string, error) {
	return a.runner.Open(ctx, w, mode)
}
