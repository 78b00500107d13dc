package conformance

import (
	"context"
	"io"
	"time"

	"rollcall/harness/dataplane"
	"rollcall/harness/host"
	"rollcall/harness/nodeimage"
	"rollcall/harness/runner"
)

// Clusters are what the suites of a run need: kind clusters that are made on this host, one that is there already, or fakes
// in tests.
type clusters interface {
	// check refuses what would keep a run from beginning, and prints what it finds. A dry run has no id. The variables tell
	// the suites' processes, which need not find it out again.
	check(ctx context.Context, w io.Writer, id string) (env []string, err error)
	// imageTime is how long the node images take that have to be made first: of the run's clusters, if it has any, and of
	// further versions.
	imageTime(ctx context.Context, shared bool, further []string) (time.Duration, error)
	// supports reports whether there can be a cluster of a mode, and why.
	supports(ctx context.Context, mode string) (bool, string)
	open(ctx context.Context, w io.Writer, mode string) (opened, error)
}

// An opened cluster is ready for the suites of a mode.
type opened struct {
	env       []string                    // by which the suites use it and open none themselves
	waitEmpty func(context.Context) error // until nothing is left that the suites made there
	close     func() error
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

func (k kindClusters) check(ctx context.Context, w io.Writer, id string) ([]string, error) {
	if id == "" {
		return nil, nil
	}
	facts, err := k.runner.Check(ctx, w)
	facts.Print(w)
	return nil, err
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

func (k kindClusters) supports(ctx context.Context, mode string) (bool, string) {
	return host.Probe(ctx).Supports(dataplane.Of(mode))
}

func (k kindClusters) open(ctx context.Context, w io.Writer, mode string) (opened, error) {
	c, err := k.runner.OpenCluster(ctx, w, mode)
	if err != nil {
		return opened{}, err
	}
	waitEmpty := func(ctx context.Context) error { return k.runner.WaitGone(ctx, c) }
	if c.Temporary() {
		waitEmpty = func(context.Context) error { return nil } // what the suites left goes with the cluster
	}
	return opened{env: []string{c.Share()}, waitEmpty: waitEmpty, close: c.Close}, nil
}

// attachedCluster is somebody else's.
type attachedCluster struct{ runner *runner.Runner }

func (a attachedCluster) check(ctx context.Context, w io.Writer, id string) ([]string, error) {
	env, err := a.runner.Preflight(ctx, w, id)
	return []string{env}, err
}

func (a attachedCluster) imageTime(context.Context, bool, []string) (time.Duration, error) {
	return 0, nil
}

func (a attachedCluster) supports(context.Context, string) (bool, string) { return true, "" }

func (a attachedCluster) open(context.Context, io.Writer, string) (opened, error) {
	return opened{waitEmpty: a.runner.WaitTargetGone, close: func() error { return nil }}, nil
}
