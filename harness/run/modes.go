package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// modes records the scenarios of all modes, as many modes at once as this machine carries. A cluster is made while the one before is
// deleted.
func (r *Run) modes(ctx context.Context, s screen) error {
	room := make(chan struct{}, r.ModesAtOnce)
	var all errgroup.Group
	for _, mode := range r.Modes {
		room <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() error {
			recorded := sync.OnceFunc(func() { <-room })
			defer recorded()
			err := r.mode(ctx, s, mode, recorded)
			if err != nil {
				fmt.Fprintf(s.run, "%s: %v\n", mode, err)
				r.RecordBreakage(fmt.Sprintf("%s: %v", mode, err))
			}
			return err
		})
	}
	return all.Wait()
}

// mode records the scenarios of a mode: first those that share a cluster, then those with a cluster of their own. It calls recorded when
// the next mode may begin.
func (r *Run) mode(ctx context.Context, s screen, mode string, recorded func()) (err error) {
	var shared, own []Planned
	for _, x := range r.Scenarios {
		switch {
		case x.Name.Mode != mode || x.LeftOut:
		case x.Apart:
			own = append(own, x)
		default:
			shared = append(shared, x)
		}
	}
	switch {
	case len(shared)+len(own) == 0:
		return nil
	case len(own) == 0:
		return r.recordOn(ctx, s, mode, shared, false, recorded)
	}
	if len(shared) > 0 {
		err = r.recordOn(ctx, s, mode, shared, false, func() {})
	}
	if ctx.Err() == nil {
		err = errors.Join(err, r.recordOn(ctx, s, mode, own, true, recorded))
	}
	return err
}

// recordOn records scenarios on one cluster of a mode or, with none, each on its own. It skips them if this host cannot have one.
func (r *Run) recordOn(ctx context.Context, s screen, mode string, scenarios []Planned, none bool, recorded func()) (err error) {
	board := r.board
	board.Do("preparing the cluster for " + mode)
	c, skip, err := r.clusters.open(ctx, r, io.MultiWriter(s.run, &doing{board: board}), mode, none)
	board.Do("")
	if err != nil {
		return err
	}
	if skip != "" {
		fmt.Fprintf(s.run, "mode %s is skipped: %s\n", mode, skip)
		for _, x := range scenarios {
			err = errors.Join(err, r.Skip(x.Name.Suite, mode, x.Scenario, skip))
		}
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	var all sync.WaitGroup
	for _, x := range scenarios {
		all.Go(func() {
			if err := r.record(ctx, s.of(mode, x.Name.Suite+"/"+x.ID), c, x); err != nil && ctx.Err() == nil {
				r.RecordBreakage(fmt.Sprintf("%s %s/%s: %v", mode, x.Name.Suite, x.ID, err))
			}
		})
	}
	all.Wait()
	recorded()
	return nil
}

// record records a scenario. A panic ends only this scenario, unless it is in a goroutine that the scenario started.
func (r *Run) record(ctx context.Context, log io.Writer, c opened, s Planned) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(log, "%s %s: panic: %v\n%s", s.Name.Mode, s.ID, p, debug.Stack())
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	_, err = c.Record(ctx, log, s.Name.Suite, s.Scenario)
	return err
}
