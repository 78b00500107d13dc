package run

import (
	"context"
	"fmt"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/record"
)

// A recorder records a scenario once. A recording that is not nil has to be cleaned up, even if there is an error.
type recorder func(context.Context, harness.Scenario, record.Config) (recording, error)

// A recording is what a recorder returns; see [record.Recording].
type recording interface {
	TooMuch() string
	Diagnose(ctx context.Context, dir string)
	Cleanup(ctx context.Context, kept bool) error
}

// A leased is a recording with the lease of its namespace.
type leased struct {
	recording
	scenario harness.Scenario
	lease    namespace.Lease
}

// recordWith is the recorder of runs, which calls package record; tests use others.
func recordWith(ctx context.Context, s harness.Scenario, c record.Config) (recording, error) {
	r, err := record.Record(ctx, s, c)
	if r == nil {
		return nil, err // a nil interface, not one that holds a nil pointer
	}
	return r, err
}

// recordOnce records the scenario in a leased namespace. rested is called once it is at rest.
func (a attempt) recordOnce(ctx context.Context, s harness.Scenario, rate int, folder string, rested func()) (*leased, error) {
	lease, err := a.mode.run.pool.Acquire(ctx, a.mode.run.session.ID)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			lease.Release() // the next recording in the namespace finds what is left there
			panic(p)
		}
	}()
	c := a.config(s, folder)
	c.Lease, c.CheckLoad, c.Rested = lease, rate > lowestRate, rested
	r, err := a.mode.run.recorder(ctx, s, c)
	if r == nil {
		lease.Release()
		return nil, err
	}
	return &leased{r, s, lease}, err
}

// cleanup removes what the recording created: while the next one runs, unless that needs what this one still holds.
func (a attempt) cleanup(ctx context.Context, r *leased, kept bool) {
	cleanup := func() {
		defer a.mode.run.spend(a.span(evidence.CleanUpPart, r.scenario))()
		defer r.lease.Release()
		if err := r.Cleanup(context.WithoutCancel(ctx), kept); err != nil {
			a.mode.run.RecordBreakage(fmt.Sprintf("%s %s: %v", a.cluster.Mode(), r.scenario.ID, err))
			fmt.Fprintf(a.out, "%s %s: %v\n", a.cluster.Mode(), r.scenario.ID, err)
		}
	}
	if r.scenario.Occupancy() == harness.WholeCluster || a.mode.turns.oneService {
		cleanup()
		return
	}
	done := a.mode.turns.cleanup()
	a.mode.cleanups.Go(func() {
		defer done()
		cleanup()
	})
}
