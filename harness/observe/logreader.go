package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A logReader reads the log of one pod's app container, run after run, and hands on what it says.
//
// The API server passes on a connection to the kubelet that broke as if the log had ended. So one run is read in passes, each
// taking what follows the last line taken before, until one that began after the run's end brings nothing. When the log is
// gone before that, something else has to confirm that the last pass met the end: the app wrote that it exits, the runtime had
// removed the container, or the API had already shown that the run is over.
type logReader struct {
	containerLog // of the run that is read
	tracker      *logTracker
	pod          *pod
	server       evidence.Server

	first     string          // line of the run
	exited    bool            // the run wrote that it exits
	warned    bool            // the run wrote that it got SIGTERM, or that it exits
	alive     *evidence.Event // the last that the run, which ignores SIGTERM, wrote of itself
	lines     int             // read, of all runs
	arrivals  []evidence.Arrival
	malformed bool // a line that could not be read was noted
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

// readAll reads one run of the container after the other, from the given one on, until the pod is gone
// or live ends.
func (r *logReader) readAll(live context.Context, run int) error {
	for ; ; run++ {
		failedStart := false
		_ = r.tracker.wait(live, func() bool { // when live ends, what is known by then is read
			failedStart = r.pod.failedStarts[run]
			return r.pod.runs > run || r.pod.gone
		})
		if now := r.podNow(); now.runs <= run {
			return nil
		}
		if failedStart {
			continue
		}
		if err := r.read(live, run); err != nil {
			return err
		}
		now := r.podNow()
		if now.over(run) && r.last != "" && !r.warned { // before its first line it serves nobody
			r.tracker.lost(r.pod, errKilled)
		}
		if now.over(run) && r.alive != nil {
			r.tracker.change(func() { r.tracker.sink.Event(*r.alive) })
		}
	}
}

// read reads the whole log of one run; once live has ended, all of it up to then.
func (r *logReader) read(live context.Context, run int) error {
	r.last, r.removed, r.exited, r.warned, r.alive = "", false, false, false, nil
	missed := errUnread // why lines before the end may not have been read; nil: they all were
	retryNow := false   // the pass before did not wait
	over := func() bool { return r.pod.over(run) }
	for {
		now := r.podNow() // before the pass: a run that was over writes no more
		r.server = now.server
		if now.runs > run+2 {
			return errSkipped
		}
		ctx, following := live, true
		if live.Err() != nil {
			ctx, following = r.tracker.reading, false
		}
		before := r.lines
		err := r.pass(ctx, r.server.Pod, &corev1.PodLogOptions{Container: now.container, Follow: following, Previous: now.runs == run+2})
		switch complete, fresh := now.over(run) || !following, r.lines > before; {
		case err == nil && complete && !fresh && (r.last != "" || missed == nil):
			return nil
		case r.tracker.reading.Err() != nil:
			return fmt.Errorf("not read to its end: %w", context.Cause(r.tracker.reading))
		case err == nil:
			missed = nil
			if after := r.podNow(); following && !r.exited && !r.removed && !after.over(run) {
				missed = errRanOn
			}
			// At once, since the pod may soon be gone with its log; but not time after time.
			if retryNow = !retryNow; !retryNow {
				r.pause(ctx, over)
			}
		case errors.Is(err, errGone) && complete && (missed == nil || r.exited && errors.Is(missed, context.Canceled)):
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
			r.pause(ctx, func() bool { return false })
		}
	}
}

// readLine notes what a line says. A line that says nothing could hide an arrival.
func (r *logReader) readLine(text string) error {
	line, err := parseLine(text, r.tracker.began, r.server)
	if err != nil {
		if !r.malformed {
			r.malformed = true
			r.tracker.lost(r.pod, err)
		}
		return nil
	}
	if r.last == "" {
		if line.step == nil || line.step.Kind != evidence.PodStarted {
			return errRotated
		}
		if text == r.first {
			return errSkipped
		}
		r.first = text
	}
	r.last = text
	r.lines++
	r.arrivals = append(r.arrivals, line.arrivals...)
	if line.step != nil && line.step.Kind == evidence.PodKilled {
		r.alive = line.step
	} else if line.step != nil {
		r.exited = r.exited || line.step.Kind == evidence.PodExited
		r.warned = r.warned || r.exited || line.step.Kind == evidence.PodSigterm
		r.tracker.change(func() { r.tracker.sink.Event(*line.step) })
	}
	return nil
}

// ofAnotherRun reports whether a line begins the log of another run than the one that is read.
func (r *logReader) ofAnotherRun(text string) bool {
	line, err := parseLine(text, r.tracker.began, r.server)
	return err == nil && line.step != nil && line.step.Kind == evidence.PodStarted && text != r.first
}

// flushArrivals gives the arrivals read to the sink, which may keep them.
func (r *logReader) flushArrivals() {
	if len(r.arrivals) > 0 {
		r.tracker.sink.Arrivals(r.arrivals...)
		r.arrivals = nil
	}
}

// podNow is the pod as it was last seen.
func (r *logReader) podNow() pod {
	r.tracker.mu.Lock()
	defer r.tracker.mu.Unlock()
	return *r.pod
}

// pause lasts until the next pass is due, or the condition holds.
func (r *logReader) pause(ctx context.Context, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, retryEvery)
	defer cancel()
	_ = r.tracker.wait(ctx, holds) // its error is that it is time
}
