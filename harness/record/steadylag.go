package record

import (
	"fmt"
	"sync"
	"time"

	"rollcall/harness/evidence"
)

// A steadyLag has how late the requests of each lane were sent, and which of them failed, in the phase before the rollout.
type steadyLag struct {
	mu    sync.Mutex
	hits  map[string][]sending
	ended bool
}

// A sending is when a request was due, how much later it was sent, and whether it failed.
type sending struct {
	due, lag time.Duration
	failed   bool
}

// measured passes hits on, and notes how late they were sent.
type measured struct {
	hitSink
	early *steadyLag
}

// Hits takes hits of any lanes.
func (m *measured) Hits(hits ...evidence.Hit) {
	m.early.note(hits)
	m.hitSink.Hits(hits...)
}

func (l *steadyLag) note(hits []evidence.Hit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if l.hits == nil {
		l.hits = map[string][]sending{}
	}
	for _, h := range hits {
		l.hits[h.Lane] = append(l.hits[h.Lane], sending{h.Due, h.Sent - h.Due, h.Failed()})
	}
}

// Clients of which 1 % of the requests are sent so late at rest will be late, in a rollout, by more than a recording is
// trusted with, which is twice that (verdict, trustedLag). Opening the first connections is not looked at.
const (
	lateAtRest = 50 * time.Millisecond
	warmUp     = time.Second
)

// lateSince says which lane was late, or which control lane lost a request, in the load from a moment on; empty if none was.
// Nothing is noted any more from then on.
func (cl *clients) lateSince(from time.Duration) string {
	l := &cl.early
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for _, lane := range cl.lanes {
		sent, late, lost := 0, 0, 0
		var latest time.Duration
		for _, s := range l.hits[lane.ID] {
			if s.due < from {
				continue
			}
			sent++
			latest = max(latest, s.lag)
			if s.lag > lateAtRest {
				late++
			}
			if s.failed && lane.Kind().IsControl() {
				lost++
			}
		}
		switch {
		case lost > 0:
			return fmt.Sprintf("%d of %d requests of %s, which no rollout touches, failed before anything changed", lost, sent, lane.ID)
		case late > max(1, sent/100):
			return fmt.Sprintf("%d of %d requests of %s were sent over %.3fs late before anything changed, the latest %.3fs", late, sent, lane.ID,
				lateAtRest.Seconds(), latest.Seconds())
		}
	}
	l.hits = nil
	return ""
}
