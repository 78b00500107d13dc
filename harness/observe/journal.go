package observe

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/rollcall/harness/evidence"
)

// A journal is what all trackers of a Watch share: the lock over what they have seen, the clock, and the sink.
type journal struct {
	began time.Time
	sink  Sink

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change

	refusedSince time.Time // when the API server began to answer 401 alone; zero: it does not
	expired      string    // that our credentials have; empty while they are accepted, or may be again
}

func newJournal(began time.Time, sink Sink) *journal {
	return &journal{began: began, sink: sink, changed: make(chan struct{})}
}

// change runs do under the lock and wakes everybody who waits for a change.
func (j *journal) change(do func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	do()
	close(j.changed)
	j.changed = make(chan struct{})
}

// note hands on an event of now. The caller holds the lock, so that events are in order.
func (j *journal) note(e evidence.Event) {
	e.At = time.Since(j.began)
	j.sink.Event(e)
}

// gap notes that the watch saw nothing for a while, up to now.
func (j *journal) gap(format string, values ...any) {
	j.change(func() { j.note(evidence.Event{Kind: evidence.WatchGap, Detail: fmt.Sprintf(format, values...)}) })
}

// broke notes that a watch did. What all watches meet once credentials have expired is told already.
func (j *journal) broke(err error) {
	j.mu.Lock()
	told := apierrors.IsUnauthorized(err) && j.expired != ""
	j.mu.Unlock()
	if !told {
		j.gap("%v", err)
	}
}

// wait returns when the condition holds, or with ctx's cause when that ends. The condition is asked under the lock, at once
// and after changes; those that come together count as one.
func (j *journal) wait(ctx context.Context, holds func() bool) error {
	return until(ctx, j, holds, func(held bool) bool { return held })
}

// until is wait of a condition that is asked without the lock, as it may take its time, about what look sees under it.
func until[T any](ctx context.Context, j *journal, look func() T, holds func(T) bool) error {
	for {
		j.mu.Lock()
		seen, changed := look(), j.changed
		j.mu.Unlock()
		if holds(seen) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
