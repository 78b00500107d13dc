package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// A fetcher fetches the hits of an agent's lanes for the recorder during the load, in a goroutine that
// runs until the lanes have ended or it is cancelled.
type fetcher struct {
	lanes  []string
	fetch  fetchFunc
	cancel context.CancelCauseFunc
	done   chan struct{}

	got   []int  // by lane, the number of hits fetched
	ended []bool // by lane, whether it has no more hits
	err   error  // of the last fetch

	failing atomic.Bool // the last fetch failed
}

// A fetchFunc returns a frame of hits for each of an agent's lanes, from the given index on, or an error and none.
type fetchFunc func(ctx context.Context, from []int) ([]store.Frame[evidence.Hit], error)

// fetchEvery is the pause between two fetches. With the recorder's own half second it bounds what a killed run loses.
const fetchEvery = 500 * time.Millisecond

// A hitSink takes hits as they come; *store.Recorder is one.
type hitSink interface{ Hits(...evidence.Hit) }

func startFetcher(ctx context.Context, recorder hitSink, lanes []string, fetch fetchFunc) *fetcher {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &fetcher{lanes: lanes, fetch: fetch, cancel: cancel, done: make(chan struct{}),
		got: make([]int, len(lanes)), ended: make([]bool, len(lanes))}
	go func() {
		defer close(f.done)
		f.run(ctx, recorder)
	}()
	return f
}

// run fetches until all lanes have ended. After an error it asks for the same hits again.
func (f *fetcher) run(ctx context.Context, recorder hitSink) {
	for {
		frames, err := f.fetch(ctx, f.got)
		f.failing.Store(err != nil)
		more := false
		for i, frame := range frames {
			more = more || len(frame.Records) == loadgen.HitsPerFrame
			recorder.Hits(frame.Records...)
			f.got[i] += len(frame.Records)
			f.ended[i] = frame.End
		}
		if !slices.Contains(f.ended, false) || ctx.Err() != nil {
			return
		}
		f.err = err
		if more {
			continue
		}
		if poll.Pause(ctx, fetchEvery); ctx.Err() != nil {
			return
		}
	}
}

// wait waits until the last hits of the lanes, whose load has ended, are fetched, or ctx is done. The
// error says how many hits were recorded of each lane that is not complete.
func (f *fetcher) wait(ctx context.Context) error {
	select {
	case <-f.done:
	case <-ctx.Done():
		f.cancel(context.Cause(ctx))
		<-f.done
	}
	f.cancel(nil)
	if f.err == nil {
		f.err = errors.New("fetching was cancelled")
	}
	var cut []error
	for i, lane := range f.lanes {
		if !f.ended[i] {
			cut = append(cut, fmt.Errorf("only %d hits of lane %s were recorded: %w", f.got[i], lane, f.err))
		}
	}
	return errors.Join(cut...)
}
