package runner

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
)

// Asks returns the scenario to record on an open cluster, or an error if there is none.
type Asks func(context.Context, cluster.Cluster) (harness.Scenario, error)

// Record records and judges scenarios without `go test`, one after the other, in the only mode of the options, after Prepare. The run
// folder gets what a suite writes, and what broke. Record returns an error if nothing was recorded.
func (r *Runner) Record(ctx context.Context, out io.Writer, suite, command string, of ...Asks) error {
	s := r.NewSession()
	s.Command, s.Profile = command, ""
	if err := r.Begin(ctx, s); err != nil {
		return err
	}
	unrecorded := r.recordIn(ctx, out, suite, r.modes[0], of)
	if ctx.Err() != nil {
		r.RecordBreakage("interrupted")
	}
	return errors.Join(unrecorded, r.End())
}

// recordIn records the scenarios on the cluster of a mode.
func (r *Runner) recordIn(ctx context.Context, out io.Writer, suite, mode string, of []Asks) error {
	m, skip, err := r.Open(ctx, out, mode, false)
	if err != nil {
		return err
	}
	if skip != "" {
		return usage.New("--modes="+mode, skip, "use another: --modes=iptables")
	}
	for i, asks := range of {
		s, asked := asks(ctx, m.cluster)
		if because := r.skipReason(m.cluster, s); asked == nil && because != "" {
			asked = usage.New("cluster "+m.cluster.Name(), because, "use another")
		}
		if err = asked; err == nil {
			_, err = m.recordAndJudge(ctx, m.cluster, suite, s, out)
		}
		if i == 0 && (asked != nil || usage.Is(err)) { // nothing was recorded
			return errors.Join(err, m.Close(ctx))
		}
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	if err = errors.Join(err, m.Close(ctx)); err != nil {
		r.RecordBreakage(fmt.Sprintf("%s: %v", mode, err))
	}
	return nil
}
