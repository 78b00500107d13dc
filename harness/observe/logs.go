package observe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"rollcall/harness/evidence"
)

// A follower reads the log of one pod's app container, run after run, and hands on what it says.
//
// A log can be asked for at any time but only from its start, and the API server passes on a
// connection to the kubelet that broke as if the log had ended. So one run is read in passes, each
// taking what follows the last line taken before, until one that began after the run's end brings
// nothing. When the log is gone before that, the last pass has to have met an end that something else
// confirms: the app said that it exits, the runtime had removed the container, or the API had already
// shown that the run is over.
type follower struct {
	watch *Watch
	pod   *pod
	by    evidence.Server

	first, last string // lines taken of the run; every line of a tape is unique, having a time
	final       bool   // the run said that it exits, or its container was removed
	warned      bool   // the run said that it was told to exit, or that it exits
	taken       int    // lines, of all runs
	arrivals    []evidence.Arrival
	strange     bool // a line that could not be read was noted
}

// retryEvery is the pause between two passes.
const retryEvery = 500 * time.Millisecond

// Why the end of the log was not met.
var (
	errGone    = errors.New("there is no such log any more")
	errUnread  = errors.New("it was never opened")
	errRanOn   = errors.New("it ended while its container was seen to run")
	errRotated = errors.New("a part of it is missing: it was rotated")
	errSkipped = errors.New("the container started again before the log of its last run was read")
	errKilled  = errors.New("the container was killed without warning, with what it had not written yet")
)

// follow starts the follower of a pod; the caller holds the lock. What ran before the pod was first
// seen is not read.
func (w *Watch) follow(p *pod) {
	live, end := context.WithCancel(w.reading)
	p.endFollowing = end
	f := &follower{watch: w, pod: p}
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
		f.await(live, func() bool { return f.pod.runs > run || f.pod.gone })
		if now := f.look(); now.runs <= run {
			return nil
		}
		if err := f.read(live, run); err != nil {
			return err
		}
		if now := f.look(); now.over(run) && !f.warned {
			f.lost(errKilled)
		}
	}
}

// read takes the whole log of one run; once live has ended, all of it up to then.
func (f *follower) read(live context.Context, run int) error {
	f.last, f.final, f.warned = "", false, false
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
		err := f.pass(ctx, &corev1.PodLogOptions{Container: now.container, Follow: following, Previous: now.runs == run+2})
		switch complete, fresh := now.over(run) || !following, f.taken > before; {
		case err == nil && complete && !fresh && (f.last != "" || missed == nil):
			return nil
		case f.watch.reading.Err() != nil:
			return fmt.Errorf("not read to its end: %w", context.Cause(f.watch.reading))
		case err == nil:
			missed = nil
			if after := f.look(); following && !f.final && !after.over(run) {
				missed = errRanOn
			}
			// At once, since the pod may soon be gone with its log; but not time after time.
			if hurry = !hurry; !hurry {
				f.pause(ctx, over)
			}
		case errors.Is(err, errGone) && complete && missed == nil:
			return nil
		case errors.Is(err, errGone) && complete:
			return fmt.Errorf("%w: %w", missed, err)
		case errors.Is(err, errSkipped), errors.Is(err, errRotated) && !following:
			return err
		default:
			if !errors.Is(err, errGone) && (missed != nil || fresh) {
				missed = err
			}
			f.pause(ctx, func() bool { return false })
		}
	}
}

// pass reads a log once and takes what follows the last line taken. It returns nil at the log's end.
func (f *follower) pass(ctx context.Context, options *corev1.PodLogOptions) error {
	// Without the client's rate limit: a pod that is killed does not wait for its log to be opened.
	stream, err := f.watch.client.GetLogs(f.by.Pod, options).Throttle(nil).Stream(ctx)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err != nil {
		return err
	}
	defer stream.Close()
	defer f.handOn()
	lines, known := bufio.NewReaderSize(stream, 64<<10), f.last
	for {
		text, err := lines.ReadString('\n')
		text, whole := strings.CutSuffix(text, "\n")
		removed := strings.HasPrefix(text, "rpc error: code = NotFound") // learnt when it has met the log's end
		switch {
		case whole && known != "":
			if text == known {
				known = ""
			}
		case whole:
			if err := f.take(text); err != nil {
				return err
			}
			if lines.Buffered() == 0 {
				f.handOn()
			}
		case !errors.Is(err, io.EOF):
			return err
		case text != "" && !removed:
			return remark(text)
		case known != "":
			return errRotated
		default:
			f.final = f.final || removed
			return nil
		}
	}
}

// remark is what follows the last whole line: the beginning of one, or why the kubelet stopped, which
// it can only say in the log itself.
func remark(text string) error {
	switch {
	case strings.HasPrefix(text, "unable to retrieve container logs for "),
		strings.HasPrefix(text, "failed to try resolving symlinks in path "):
		return fmt.Errorf("%w: %.200q", errGone, text)
	default:
		return fmt.Errorf("the log breaks off with %.200q", text)
	}
}

// take notes what a line says. A line that says nothing could hide an arrival.
func (f *follower) take(text string) error {
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
		f.final = f.final || line.step.Kind == evidence.PodExited
		f.warned = f.warned || f.final || line.step.Kind == evidence.PodSigterm
		f.watch.locked(func() { f.watch.sink.Event(*line.step) })
	}
	return nil
}

// handOn gives the arrivals taken to the sink, which may keep them.
func (f *follower) handOn() {
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
