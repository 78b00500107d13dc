package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

// modes runs the suites on a cluster of each mode. The next is made while the last is removed.
func (r *run) modes(ctx context.Context, s screen) error {
	room := make(chan struct{}, r.runner.ModesAtOnce())
	var all errgroup.Group
	for _, mode := range r.runner.ModeList() {
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
				r.recordBreakage(fmt.Sprintf("%s: %v", mode, err))
			}
			return err
		})
	}
	return all.Wait()
}

// mode runs the suites on one cluster, and then those whose scenarios have each their own; in a mode this host cannot run they
// only note that. It calls recorded when the next mode may have the machine.
func (r *run) mode(ctx context.Context, s screen, mode string, recorded func()) (err error) {
	if supported, because := r.clusters.supports(ctx, mode); !supported {
		fmt.Fprintf(s.run, "mode %s is skipped: %s\n", mode, because)
		return r.all(ctx, s, mode, r.names, nil)
	}
	var shared, alone []string
	records := false // on the cluster that is shared
	for _, suite := range r.names {
		if r.use.alone(suiteRun{mode, suite}) {
			alone = append(alone, suite)
			continue
		}
		shared = append(shared, suite)
		records = records || r.use.shared[suiteRun{mode, suite}]
	}
	if len(alone) == 0 {
		return r.onShared(ctx, s, mode, shared, recorded)
	}
	if records {
		err = r.onShared(ctx, s, mode, shared, func() {})
	}
	if ctx.Err() == nil {
		err = errors.Join(err, r.all(ctx, s, mode, alone, nil))
	}
	return err
}

// onShared runs suites on one cluster, beside each other.
func (r *run) onShared(ctx context.Context, s screen, mode string, suites []string, recorded func()) (err error) {
	r.board.Do("preparing the cluster for " + mode)
	c, err := r.clusters.open(ctx, io.MultiWriter(s.run, &doing{board: r.board}), mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	err = r.all(ctx, s, mode, suites, c.env)
	recorded()
	return errors.Join(err, c.waitEmpty(ctx))
}

// all runs suites side by side, with more in their environment.
func (r *run) all(ctx context.Context, s screen, mode string, suites, env []string) error {
	var running errgroup.Group
	if r.runner.Namespaces != "" {
		running.SetLimit(1) // each takes the namespaces that were given for its own
	}
	said := &prefixed{to: s.suites}
	for _, suite := range suites {
		running.Go(func() error {
			source := said.as(mode + " " + suite)
			return errors.Join(r.suite(ctx, s.run, source, mode, suite, env), source.Close())
		})
	}
	return running.Wait()
}
