package record

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
)

// startLoad begins all lanes, and writes them into run.json. It returns a [usage.Error] if the load would not fit on the disk.
func (r *Recording) startLoad(ctx context.Context) error {
	disk := newDiskSpace(r.Folder, func() int64 { return host.FreeSpace(r.Folder) }, r.clients.lanes, r.UserApp == nil,
		r.observers != nil && r.observers.listen)
	if err := disk.check(cmp.Or(r.Lasts, r.Estimate())); err != nil {
		return err
	}
	if d := r.Disruption; d != nil && d.ByOthers() && disk.left(0) < d.Lasts {
		fmt.Fprintf(r.Out, "disk of %s: it has space for %v of load, which then ends\n", r.Folder, disk.left(0))
	}
	if err := r.clients.identify(ctx, r.began); err != nil {
		return fmt.Errorf("start the load: %w", err)
	}
	r.run.Timeout, r.run.FirstReply = r.clients.timeout, r.clients.firstReply
	r.watch.Mark(evidence.LoadBegun)
	if err := r.clients.start(ctx, r.began, r.recorder); err != nil {
		return fmt.Errorf("start the load: %w", err)
	}
	r.guarding.Go(func() { r.guard(ctx, r.end, disk) })
	r.stopNames = followNames(ctx, r.clients.lanes, net.DefaultResolver.LookupHost, r.watch.Note)
	r.run.Lanes, r.run.Clocks = r.clients.lanes, shareClocks(r.clients.clocks, r.boots)
	return r.recorder.Update(r.run)
}

// checkSteadyLoad lets the load run until pods and endpoints are at rest, and measures how late clients send meanwhile. If they
// are late even then, the load is more than this machine can carry.
func (r *Recording) checkSteadyLoad(ctx context.Context) error {
	d := harness.Steady
	for _, change := range r.ClusterChanges {
		if resting, ok := change.(interface{ Rest() time.Duration }); ok {
			d = max(d, resting.Rest())
		}
	}
	defer r.printProgress(ctx, always("before "+r.subject().name))()
	if err := r.awaitRest(ctx, d); err != nil {
		return err
	}
	if r.CheckLoad {
		r.tooMuch = r.clients.seen.tooMuch()
	}
	return context.Cause(ctx)
}

// awaitRest waits for d, and until no pod and no endpoint has changed for the time called rest.
func (r *Recording) awaitRest(ctx context.Context, d time.Duration) error {
	limit := r.stretched(deployTimeout)
	never := fmt.Errorf("pods or endpoints kept changing for %v before %s", limit, r.subject().name)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, never)
	defer cancel()
	began, was := time.Now(), observe.State{}
	for {
		limited, cancel := context.WithTimeout(ctx, max(rest, d-time.Since(began)))
		err := r.watch.Until(limited, func(s observe.State) bool {
			changed := !was.Like(s)
			was = s
			return changed
		})
		cancel()
		if err != nil { // nothing changed, or ctx ended
			return context.Cause(ctx)
		}
	}
}

// settle continues the load for a while after the rollout.
func (r *Recording) settle(ctx context.Context) error {
	return r.pass(ctx, "after "+r.subject().name, r.Settle)
}

// stopLoad ends the load. It may be called again.
func (r *Recording) stopLoad(ctx context.Context) error {
	if err := r.clients.stop(ctx); err != nil {
		return err
	}
	r.loadEnded.Do(func() { r.watch.Mark(evidence.LoadEnded) })
	return nil
}

// pass waits for d, and prints progress.
func (r *Recording) pass(ctx context.Context, phase string, d time.Duration) error {
	over := time.Now().Add(d)
	defer r.printProgress(ctx, func() string {
		return fmt.Sprintf("%s, %v left", phase, max(0, time.Until(over)).Round(time.Second))
	})()
	poll.Pause(ctx, d)
	return context.Cause(ctx)
}

const printEvery = 5 * time.Second

func always(phase string) func() string { return func() string { return phase } }

// printProgress prints progress lines until the returned function is called.
func (r *Recording) printProgress(ctx context.Context, phase func() string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var printing sync.WaitGroup
	printing.Go(func() {
		for {
			now := r.clients.progress()
			now.Phase = phase()
			fmt.Fprintln(r.Out, r.Entry.Update(now))
			if poll.Pause(ctx, printEvery); ctx.Err() != nil {
				return
			}
		}
	})
	return func() { cancel(); printing.Wait() }
}
