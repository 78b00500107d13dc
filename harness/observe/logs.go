package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/evidence"
)

// A follower reads the log of one pod's app container, run after run, and hands on what it says.
//
// The API server passes on a connection to the kubelet that broke as if the log had ended. So one run is
// read in passes, each taking what follows the last line taken before, until one that began after the
// run's end brings nothing. When the log is gone before that, the last pass has to have met an end that
// something else confirms: the app said that it exits, the runtime had removed the container, or the API had
// already shown that the run is over.
type follower struct {
	log   // of the run that is read
	watch *Watch
	pod   *pod
	by    evidence.Server

	first    string // line of the run
	exited   bool   // the run said that it exits
	warned   bool   // the run said that it was told to exit, or that it exits
	taken    int    // lines, of all runs
	arrivals []evidence.Arrival
	strange  bool // a line that could not be read was noted
}

// retryEvery is the pause between two passes.
const retryEvery = 500 * time.Millisecond

// Why the end of the log was not met.
var (
	errGone     = errors.New("there is no such log any more")
	errReplaced = errors.New("another log is in its place")
	errUnread   = errors.New("it was never opened")
	errRanOn    = errors.New("it ended while its container was seen to run")
	errRotated  = errors.New("a part of it is missing: it was rotated")
	errSkipped  = errors.New("the container started again before the log of its last run was read")
	errKilled   = errors.New("the container was killed without warning, with what it had not written yet")
)

// follow starts the follower of a pod; the caller holds the lock. What ran before the pod was first
// seen is not read.
func (w *Watch) follow(p *pod) {
	live, end := context.WithCancel(w.reading)
	p.endFollowing = end
	f := &follower{watch: w, pod: p}
	f.log = log{client: w.client, take: f.takeLine, handOn: f.handArrivals, another: f.another}
	first := max(0, p.runs-1)
	w.followers.Go(func() {
		defer end()
		if err := f.readAll(live, first); err != nil {
			f.lost(err)
		}
	})
}

// readAll reads one run of the container after the other, from the given one on, until the pod is gone
// or live ends.
func (f *follower) readAll(live context.Context, run int) error {
	for ; ; run++ {
		unbegun := false
		f.await(live, func() bool {
			unbegun = f.pod.unbegun[run]
			return f.pod.runs > run || f.pod.gone
		})
		if now := f.look(); now.runs <= run {
			return nil
		}
		if unbegun {
			continue
		}
		if err := f.read(live, run); err != nil {
			return err
		}
		if now := f.look(); now.over(run) && f.last != "" && !f.warned { // before its first line it serves nobody
			f.lost(errKilled)
		}
	}
}

// read takes the whole log of one run; once live has ended, all of it up to then.
func (f *follower) read(live context.Context, run int) error {
	f.last, f.removed, f.exited, f.warned = "", false, false, false
	missed := errUnread // why lines before the end may not have been taken; nil: they all were
	hurry := false      // this pass followed the one before at once
	over := func() bool { return f.pod.over(run) }
	for {
		now := f.look() // before the pass: a run that was over writes no more
		f.by = now.by
		if now.runs > run+2 {
			return errSkipped
		}
		ctx, following := live, true
		if live.Err() != nil {
			ctx, following = f.watch.reading, false
		}
		before := f.taken
		err := f.pass(ctx, f.by.Pod, &corev1.PodLogOptions{Container: now.container, Follow: following, Previous: now.runs == run+2})
		switch complete, fresh := now.over(run) || !following, f.taken > before; {
		case err == nil && complete && !fresh && (f.last != "" || missed == nil):
			return nil
		case f.watch.reading.Err() != nil:
			return fmt.Errorf("not read to its end: %w", context.Cause(f.watch.reading))
		case err == nil:
			missed = nil
			if after := f.look(); following && !f.exited && !f.removed && !after.over(run) {
				missed = errRanOn
			}
			// At once, since the pod may soon be gone with its log; but not time after time.
			if hurry = !hurry; !hurry {
				f.pause(ctx, over)
			}
		case errors.Is(err, errGone) && complete && (missed == nil || f.exited && errors.Is(missed, context.Canceled)):
			return nil // or we stopped following after its last word, with the load over
		case errors.Is(err, errGone) && complete:
			return fmt.Errorf("%w: %w", missed, err)
		case errors.Is(err, errReplaced) && now.gone:
			return missed
		case errors.Is(err, errSkipped), errors.Is(err, errRotated) && !following:
			return err
		default:
			if !errors.Is(err, errGone) && !errors.Is(err, errReplaced) && (missed != nil || fresh) {
				missed = err
			}
			f.pause(ctx, func() bool { return false })
		}
	}
}

// takeLine notes what a line says. A line that says nothing could hide an arrival.
func (f *follower) takeLine(text string) error {
	line, err := parse(text, f.watch.began, f.by)
	if err != nil {
		if !f.strange {
			f.strange = true
			f.lost(err)
		}
		return nil
	}
	if f.last == "" {
		if line.step == nil || line.step.Kind != evidence.PodStarted {
			return errRotated
		}
		if text == f.first {
			return errSkipped
		}
		f.first = text
	}
	f.last = text
	f.taken++
	f.arrivals = append(f.arrivals, line.arrivals...)
	if line.step != nil {
		f.exited = f.exited || line.step.Kind == evidence.PodExited
		f.warned = f.warned || f.exited || line.step.Kind == evidence.PodSigterm
		f.watch.locked(func() { f.watch.sink.Event(*line.step) })
	}
	return nil
}

// another reports whether a line begins the log of another run than the one that is read.
func (f *follower) another(text string) bool {
	line, err := parse(text, f.watch.began, f.by)
	return err == nil && line.step != nil && line.step.Kind == evidence.PodStarted && text != f.first
}

// handArrivals gives the arrivals taken to the sink, which may keep them.
func (f *follower) handArrivals() {
	if len(f.arrivals) > 0 {
		f.watch.sink.Arrivals(f.arrivals...)
		f.arrivals = nil
	}
}

func (f *follower) lost(why error) {
	f.watch.locked(func() {
		f.watch.note(evidence.Event{Kind: evidence.RecorderLost, By: f.pod.by, Detail: fmt.Sprintf("log of %s: %v", f.pod.by.Pod, why)})
	})
}

// look is the pod as it was last seen.
func (f *follower) look() pod {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	return *f.pod
}

// await returns when the condition, which is asked under the lock, holds or ctx ends.
func (f *follower) await(ctx context.Context, holds func() bool) {
	for {
		f.watch.mu.Lock()
		held, changed := holds(), f.watch.changed
		f.watch.mu.Unlock()
		if held {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// pause lasts until the next pass is due, or the condition holds.
func (f *follower) pause(ctx context.Context, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, retryEvery)
	defer cancel()
	f.await(ctx, holds)
}
