package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollcall/harness/evidence"
)

// A feed brings the hits of one lane to the recorder while the lane is loaded, in a goroutine that
// lasts until the lane has ended or the feed is.
type feed struct {
	lane   string
	since  func(ctx context.Context, n int) (evidence.Frame[evidence.Hit], error)
	cancel context.CancelCauseFunc
	done   chan struct{}

	got   int
	ended bool  // the lane has no more
	err   error // of the last time it was asked
}

// feedEvery is how often a lane is asked for its hits, and askPatience how long an answer may take. With
// the recorder's own half second, feedEvery bounds what a killed run loses.
const (
	feedEvery   = 250 * time.Millisecond
	askPatience = 5 * time.Second
)

// follow begins a feed from a source, which is asked for the hits from number n on.
func follow(ctx context.Context, recorder *evidence.Recorder, lane string, since func(ctx context.Context, n int) (evidence.Frame[evidence.Hit], error)) *feed {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &feed{lane: lane, since: since, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.run(ctx, recorder)
	}()
	return f
}

// run asks a source that does not answer again for the same hits.
func (f *feed) run(ctx context.Context, recorder *evidence.Recorder) {
	for {
		asking, cancel := context.WithTimeoutCause(ctx, askPatience, fmt.Errorf("no answer in %v", askPatience))
		frame, err := f.since(asking, f.got)
		cancel()
		if err == nil {
			recorder.Hits(frame.Records...)
			f.got += len(frame.Records)
			if f.ended = frame.End; f.ended {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		f.err = err
		select {
		case <-time.After(feedEvery):
		case <-ctx.Done():
			return
		}
	}
}

// end waits until the lane, whose load has ended, has handed over its last hit, or ctx is done. The
// error says how many hits were recorded of a lane that did not get that far.
func (f *feed) end(ctx context.Context) error {
	select {
	case <-f.done:
	case <-ctx.Done():
		f.cancel(context.Cause(ctx))
		<-f.done
	}
	f.cancel(nil)
	if f.ended {
		return nil
	}
	if f.err == nil {
		f.err = errors.New("it was asked no more")
	}
	return fmt.Errorf("of lane %s %d hits were recorded: %w", f.lane, f.got, f.err)
}
