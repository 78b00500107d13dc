package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/usage"
)

// A ScenarioFunc returns the scenario to record on an open cluster, or an error if there is none: [ErrNothing] if those after it are to be
// recorded all the same.
type ScenarioFunc func(context.Context, cluster.Cluster) (harness.Scenario, error)

// ErrNothing says that what was recorded before leaves nothing to record.
var ErrNothing = errors.New("there is nothing to record")

// Into says where recordings go that are of no suite.
type Into struct {
	Folder  string // of the run
	Suite   string // in whose place they are
	Command string // command line that reproduces them
	Reading Reading
}

// Record records and judges scenarios that no suite has, one after the other, in the plan's only mode. The run folder gets what a run of
// suites writes, and what broke. Record returns an error if nothing was recorded.
func (p Plan) Record(ctx context.Context, out io.Writer, into Into, of ...ScenarioFunc) error {
	s := p.NewSession(into.Folder)
	s.Command, s.Profile = into.Command, ""
	r, err := p.Begin(ctx, into.Folder, s)
	if err != nil {
		return err
	}
	r.reading = into.Reading
	unrecorded := r.oneByOne(ctx, out, into.Suite, p.Modes[0], of)
	if ctx.Err() != nil {
		r.RecordBreakage("interrupted")
	}
	return errors.Join(unrecorded, r.End())
}

// oneByOne records the scenarios on the cluster of a mode.
func (r *Run) oneByOne(ctx context.Context, out io.Writer, suite, mode string, of []ScenarioFunc) error {
	m, skip, err := r.Open(ctx, out, mode, false)
	if err != nil {
		return err
	}
	if skip != "" {
		return usage.New("--modes="+mode, skip, "use another: --modes=iptables")
	}
	for i, scenarioOn := range of {
		s, unmade := scenarioOn(ctx, m.cluster)
		if errors.Is(unmade, ErrNothing) {
			continue
		}
		if because := r.skipReason(m.cluster, s); unmade == nil && because != "" {
			unmade = usage.New("cluster "+m.cluster.Name(), because, "use another")
		}
		if err = unmade; err == nil {
			_, err = m.recordAndJudge(ctx, m.cluster, suite, s, out)
		}
		if i == 0 && (unmade != nil || usage.Is(err)) { // nothing was recorded
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
