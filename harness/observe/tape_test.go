package observe

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rollcall/harness/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// A tape is a Sink that remembers.
type tape struct {
	mu       sync.Mutex
	events   []evidence.Event
	arrivals []evidence.Arrival
	changed  chan struct{}
}

func newTape() *tape { return &tape{changed: make(chan struct{})} }

// Event remembers all but the heartbeat, which comes when it comes.
func (t *tape) Event(e evidence.Event) {
	if e.Kind != evidence.APIAnswered {
		t.add(func() { t.events = append(t.events, e) })
	}
}

func (t *tape) Arrivals(arrivals ...evidence.Arrival) {
	t.add(func() { t.arrivals = append(t.arrivals, arrivals...) })
}

func (t *tape) add(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	close(t.changed)
	t.changed = make(chan struct{})
}

// eventsFrom is a copy of the events from number n on.
func (t *tape) eventsFrom(n int) []evidence.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events[n:])
}

// until waits for a condition, which is asked under the lock.
func (t *tape) until(tt *testing.T, what string, holds func() bool) {
	tt.Helper()
	late := time.After(patience)
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
			tt.Fatalf("%s: not within %v; events %+v, %d arrivals", what, patience, t.eventsFrom(0), len(t.arrivals))
		}
	}
}

// stop stops a watch with patience.
func stop(t *testing.T, w *Watch) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	w.Stop(ctx)
	if ctx.Err() != nil {
		t.Errorf("the watch did not stop within %v", patience)
	}
}
