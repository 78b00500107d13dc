package conformance

import (
	"context"
	"io"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/verdict"
)

// clusters opens the clusters of a run: a runner's, or fakes in tests. Its methods are those of [runner.Runner].
type clusters interface {
	Ready(ctx context.Context, out io.Writer, session string) error
	open(ctx context.Context, out io.Writer, mode string, none bool) (c opened, skip string, err error)
}

// An opened cluster records and judges scenarios, side by side as far as their turns allow.
type opened interface {
	Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error)
	Close(ctx context.Context) error
}

// realClusters opens the clusters of a runner.
type realClusters struct{ *runner.Runner }

func (c realClusters) open(ctx context.Context, out io.Writer, mode string, none bool) (opened, string, error) {
	return c.Open(ctx, out, mode, none)
}
