package conformance

import (
	"context"
	"io"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/runner"
	"example.com/rollcall/harness/verdict"
)

// clusters are what the scenarios of a run need: those of a runner, or fakes in tests.
type clusters interface {
	Ready(ctx context.Context, out io.Writer, session string) error
	ImageTime(context.Context, []harness.Scenario) (time.Duration, error)
	// open opens a cluster of a mode, or none where each scenario has its own, or says why there is none.
	open(ctx context.Context, out io.Writer, mode string, none bool) (c opened, skip string, err error)
}

// An opened cluster is one on which scenarios are recorded and judged, side by side as far as their turns come.
type opened interface {
	Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error)
	Close(ctx context.Context) error
}

// realClusters are those that the options of a runner ask for.
type realClusters struct{ *runner.Runner }

func (c realClusters) open(ctx context.Context, out io.Writer, mode string, none bool) (opened, string, error) {
	return c.Open(ctx, out, mode, none)
}
