package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
)

// A logReader reads the log of one pod's app container, run after run, and hands on its arrivals and steps.
//
// If the API server's connection to the kubelet breaks, the log seems to end. So one run is read in passes, each of which
// continues after the last line read before, until a pass that began after the run's end finds nothing new. If the log is
// removed before that, something else must confirm that the last pass reached the end: the app wrote that it exits, the runtime had
// removed the container, or the API had already shown that the run is over.
type logReader struct {
	containerLog // of the current run
	tracker      *logTracker
	pod          *pod
	server       evidence.Server

	first     string          // first line of the run
	exited    bool            // the run wrote that it exits
	warned    bool            // the run wrote that it got SIGTERM, or that it exits
	alive     *evidence.Event // last sign of life of a run that ignores SIGTERM or drains
	lines     int             // number of lines read, of all runs
	arrivals  []evidence.Arrival
	malformed bool // a line that could not be read was noted
}

// retryEvery is the pause between two passes.
const retryEvery = 500 * time.Millisecond

// Why the end of the log was not reached.
var (
	errGone     = errors.New("no such log any more")
	errReplaced = errors.New("another log is in its place")
	errUnread   = errors.New("it was never opened")
	errRanOn    = errors.New("it ended while its container was seen to run")
	errRotated  = errors.New("a part of it is missing: it was rotated")
	errSkipped  = errors.New("the container started again before the log of its last run was read")
	errKilled   = errors.New("the container was killed without SIGTERM, so lines not written yet are lost")
)

// readAll reads the runs of the container one after the other, from the given one on, until the pod is gone
// or live ends.
func (r *logReader) readAll(live context.Context, run int) error {
	for ; ; run++ {
		failedStart := false
		_ = r.tracker.wait(live, func() bool { // when live ends, the runs known by then are still read
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
		if now.over(run) && r.last != "" && !r.warned { // before its first line it serves no requests
			r.tracker.lost(r.pod, errKilled)
		}
		if now.over(run) && r.alive != nil && !r.exited {
			r.tracker.change(func() { r.tracker.sink.Event(*r.alive) })
		}
	}
}

// read reads the whole log of one run; if live ends, all of it up to then.
func (r *logReader) read(live context.Context, run int) error {
	r.last, r.removed, r.exited, r.warned, r.alive = "", false, false, false, nil
	missed := errUnread // why lines before the end may be unread; nil: all were read
	retryNow := false   // there was no pause before this pass
	over := func() bool { return r.pod.over(run) }
	for {
		now := r.podNow() // before the pass: a run that is over writes no more
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
			// At once, since the pod may soon be gone with its log; but not twice in a row.
			if retryNow = !retryNow; !retryNow {
				r.pause(ctx, over)
			}
		case errors.Is(err, errGone) && complete && (missed == nil || r.exited && errors.Is(missed, context.Canceled)):
			return nil // all read, or we stopped following after "exit"
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

// readLine hands on a line. One that cannot be parsed is noted as lost: it could hide an arrival.
func (r *logReader) readLine(text string) error {
	line, err := r.tracker.format.parseLine(text, r.server)
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
	r.tracker.foreign.Add(int64(line.foreign))
	if line.step != nil && line.step.Kind == evidence.PodKilled {
		r.alive = line.step
	} else if line.step != nil {
		r.exited = r.exited || line.step.Kind == evidence.PodExited
		r.warned = r.warned || r.exited || line.step.Kind == evidence.PodSigterm
		r.tracker.change(func() { r.tracker.sink.Event(*line.step) })
	}
	return nil
}

// ofAnotherRun reports whether a line begins the log of a run other than the current one.
func (r *logReader) ofAnotherRun(text string) bool {
	line, err := r.tracker.format.parseLine(text, r.server)
	return err == nil && line.step != nil && line.step.Kind == evidence.PodStarted && text != r.first
}

// flushArrivals hands the arrivals read to the sink, which may keep the slice.
func (r *logReader) flushArrivals() {
	if len(r.arrivals) > 0 {
		r.tracker.sink.Arrivals(r.arrivals...)
		r.arrivals = nil
	}
}

// podNow returns a copy of the pod as last seen.
func (r *logReader) podNow() pod {
	r.tracker.mu.Lock()
	defer r.tracker.mu.Unlock()
	return *r.pod
}

// pause waits until the next pass is due, or the condition holds.
func (r *logReader) pause(ctx context.Context, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, retryEvery)
	defer cancel()
	_ = r.tracker.wait(ctx, holds) // an error means that the next pass is due
}
