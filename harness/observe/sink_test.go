package observe

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/rollcall/harness/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// timeout is how long a test waits for what must come.
const timeout = 20 * time.Second

// A memorySink keeps what a Watch notes.
type memorySink struct {
	mu       sync.Mutex
	events   []evidence.Event
	arrivals []evidence.Arrival
	flows    []evidence.Flow
	changed  chan struct{}
}

func newMemorySink() *memorySink { return &memorySink{changed: make(chan struct{})} }

// Event keeps all events but those of the heartbeat, whose number varies.
func (t *memorySink) Event(e evidence.Event) {
	if e.Kind != evidence.APIAnswered {
		t.add(func() { t.events = append(t.events, e) })
	}
}

func (t *memorySink) Arrivals(arrivals ...evidence.Arrival) {
	t.add(func() { t.arrivals = append(t.arrivals, arrivals...) })
}

func (t *memorySink) Flows(flows ...evidence.Flow) {
	t.add(func() { t.flows = append(t.flows, flows...) })
}

func (t *memorySink) add(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	close(t.changed)
	t.changed = make(chan struct{})
}

// eventsFrom returns a copy of the events from index n on.
func (t *memorySink) eventsFrom(n int) []evidence.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events[n:])
}

// until waits for a condition, which is checked under the lock.
func (t *memorySink) until(tt *testing.T, what string, holds func() bool) {
	tt.Helper()
	late := time.After(timeout)
	for {
		t.mu.Lock()
		held, changed := holds(), t.changed
		t.mu.Unlock()
		if held {
			return
		}
		select {
		case <-changed:
		case <-late:
			tt.Fatalf("%s: not within %v; events %+v, %d arrivals", what, timeout, t.eventsFrom(0), len(t.arrivals))
		}
	}
}

// stop stops a watch, with enough time to read all logs.
func stop(t *testing.T, w *Watch) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), timeout)
	defer cancel()
	w.Stop(ctx)
	if ctx.Err() != nil {
		t.Errorf("the watch did not stop within %v", timeout)
	}
}
