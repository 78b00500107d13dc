package observe

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/rollcall/harness/evidence"
)

// A journal is shared by all trackers of a Watch: the lock over their state, the clock, and the sink.
type journal struct {
	began time.Time
	sink  Sink

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change

	refusedSince time.Time // when the API server began to answer only 401; zero: it does not
	expired      string    // says that our credentials have expired; empty while they are accepted, or may be again
}

func newJournal(began time.Time, sink Sink) *journal {
	return &journal{began: began, sink: sink, changed: make(chan struct{})}
}

// change runs do under the lock and wakes all that wait for a change.
func (j *journal) change(do func()) { j.changeIf(func() bool { do(); return true }) }

// changeIf is like change, and wakes nobody if nothing changed for those who wait.
func (j *journal) changeIf(do func() (changed bool)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !do() {
		return
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

// note hands on an event that happens now. The caller holds the lock, so that events are in order.
func (j *journal) note(e evidence.Event) {
	e.At = time.Since(j.began)
	j.sink.Event(e)
}

// gap notes that the watch saw nothing for a while, up to now.
func (j *journal) gap(format string, values ...any) {
	j.change(func() { j.note(evidence.Event{Kind: evidence.WatchGap, Detail: fmt.Sprintf(format, values...)}) })
}

// broke notes that a watch broke, unless that is because credentials have expired, which is noted once for all watches.
func (j *journal) broke(err error) {
	j.mu.Lock()
	told := apierrors.IsUnauthorized(err) && j.expired != ""
	j.mu.Unlock()
	if !told {
		j.gap("%v", err)
	}
}

// wait waits until the condition holds, or returns ctx's cause when ctx ends. The condition is checked under the lock, at once
// and after changes; changes that come together are one check.
func (j *journal) wait(ctx context.Context, holds func() bool) error {
	return until(ctx, j, holds, func(held bool) bool { return held })
}

// until is like wait, for a condition that may take long: look is called under the lock, and holds without it.
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
