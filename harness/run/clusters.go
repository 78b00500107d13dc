package run

import (
	"context"
	"io"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/verdict"
)

// clusters opens the clusters of a run: real ones, or fakes in tests.
type clusters interface {
	admit(ctx context.Context, p Plan, out io.Writer, session string) (Plan, error)
	open(ctx context.Context, r *Run, out io.Writer, mode string, none bool) (c opened, skip string, err error)
}

// An opened cluster records and judges scenarios, side by side as far as their turns allow.
type opened interface {
	Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error)
	Close(ctx context.Context) error
}

// realClusters are kind clusters, or the target.
type realClusters struct{}

func (realClusters) admit(ctx context.Context, p Plan, out io.Writer, session string) (Plan, error) {
	return p.Admit(ctx, out, session, false)
}

func (realClusters) open(ctx context.Context, r *Run, out io.Writer, mode string, none bool) (opened, string, error) {
	return r.Open(ctx, out, mode, none)
}

// opener returns what opens the clusters of the run.
func (q Request) opener() clusters {
	if q.clusters != nil {
		return q.clusters
	}
	return realClusters{}
}
