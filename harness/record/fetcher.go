package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/loadgen"
)

// A fetcher fetches the records of an agent's lanes for the recorder during the load, in a goroutine that
// runs until the lanes have ended or it is cancelled.
type fetcher struct {
	lanes  []string
	fetch  fetchFunc
	cancel context.CancelCauseFunc
	done   chan struct{}

	next  []int64 // by lane, the position in its log
	got   []int   // by lane, the number of hits fetched
	ended []bool  // by lane, whether it has no more hits
	err   error   // of the last fetch

	failing atomic.Bool // the last fetch failed
}

// A fetchFunc returns a range of the log of each of an agent's lanes, from a position on, or an error and none.
type fetchFunc func(ctx context.Context, from []int64) ([]loadgen.Range, error)

// fetchEvery is the pause between two fetches. With the recorder's own half second it bounds what a killed run loses.
const fetchEvery = 500 * time.Millisecond

// A laneSink takes what clients of lanes saw, as it comes; *store.Recorder is one.
type laneSink interface {
	LoggedHits(log []byte, hits []evidence.Hit) // with their agent's log
	Connections(connections ...evidence.Connection)
	Event(e evidence.Event)
}

func startFetcher(ctx context.Context, recorder laneSink, lanes []string, fetch fetchFunc) *fetcher {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &fetcher{lanes: lanes, fetch: fetch, cancel: cancel, done: make(chan struct{}),
		next: make([]int64, len(lanes)), got: make([]int, len(lanes)), ended: make([]bool, len(lanes))}
	go func() {
		defer close(f.done)
		f.run(ctx, recorder)
	}()
	return f
}

// run fetches until all lanes have ended. After an error it asks for the same ranges again.
func (f *fetcher) run(ctx context.Context, recorder laneSink) {
	for {
		ranges, err := f.fetch(ctx, f.next)
		f.failing.Store(err != nil)
		more := false
		for i, r := range ranges {
			more = more || len(r.Log) >= loadgen.RangeBytes
			recorder.LoggedHits(r.Log, r.Hits)
			recorder.Connections(r.Connections...)
			for _, e := range r.Events {
				recorder.Event(e)
			}
			f.got[i] += len(r.Hits)
			f.next[i], f.ended[i] = r.Next, r.End
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
