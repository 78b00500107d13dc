package record

import (
	"fmt"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A steadyLag passes hits on, and keeps those from before the rollout, to find how late requests were sent and which failed.
type steadyLag struct {
	hitSink
	mu    sync.Mutex
	hits  []evidence.Hit
	ended bool
}

func (l *steadyLag) Hits(hits ...evidence.Hit) {
	l.mu.Lock()
	if !l.ended {
		l.hits = append(l.hits, hits...)
	}
	l.mu.Unlock()
	l.hitSink.Hits(hits...)
}

// A client that sends 1 % of its requests later than lateAtRest before the rollout will exceed, during the rollout, the lag with
// which a recording is trusted, which is twice that (verdict, trustedLag). The opening of the first connections does not count.
const (
	lateAtRest = 50 * time.Millisecond
	warmUp     = time.Second
)

// lateSince says which lane was late, or which control lane lost a request, among requests due after a moment; empty if none.
// It also ends the keeping of hits.
func (cl *clients) lateSince(from time.Duration) string {
	l := &cl.early
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for _, lane := range cl.lanes {
		sent, late, lost := 0, 0, 0
		var latest time.Duration
		for _, h := range l.hits {
			if h.Lane != lane.ID || h.Due < from {
				continue
			}
			sent++
			lag := h.Sent - h.Due
			latest = max(latest, lag)
			if lag > lateAtRest {
				late++
			}
			if h.Failed() && lane.Kind().IsControl() {
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
