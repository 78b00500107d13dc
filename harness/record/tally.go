package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/progress"
)

// A tally passes hits on and counts them, for progress lines and to find out before the rollout whether the load is too much.
type tally struct {
	laneSink
	from  time.Duration // requests due before it count for progress alone
	mu    sync.Mutex
	now   progress.Running // what clients of the app saw; control pods have a version of their own
	lanes []laneTally
}

// A laneTally has the counts of a lane.
type laneTally struct {
	evidence.Lane
	requests, late, failed int
	latest                 time.Duration
}

// A client that sends 1 % of its requests later than lateAtRest before the rollout will exceed, during the rollout, the lag with
// which a recording is trusted, which is twice that (verdict, trustedLag).
const (
	lateAtRest = 50 * time.Millisecond
	warmUp     = time.Second
)

func newTally(to laneSink, lanes []evidence.Lane) *tally {
	t := &tally{laneSink: to, from: math.MaxInt64, now: progress.Running{Replies: map[string]int{}}}
	for _, lane := range lanes {
		t.lanes = append(t.lanes, laneTally{Lane: lane})
	}
	return t
}

// countFrom has requests count that are due later. Those before open connections.
func (t *tally) countFrom(at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from = at
}

// LoggedHits counts hits and passes them on.
func (t *tally) LoggedHits(log []byte, hits []evidence.Hit) {
	t.count(hits...)
	t.laneSink.LoggedHits(log, hits)
}

func (t *tally) count(hits ...evidence.Hit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range hits {
		i := slices.IndexFunc(t.lanes, func(l laneTally) bool { return l.ID == h.Lane })
		if i < 0 {
			continue // the timeline reports it
		}
		lane := &t.lanes[i]
		if lane.Kind().RequestsApp() {
			t.now.Sent++
			switch {
			case h.Failed():
				t.now.Failed++
			case h.By.Version != "": // else it is not known before the recording ends
				t.countReply(h.By.Version)
			}
		}
		if h.Due >= t.from {
			lane.count(h)
		}
	}
}

// mostVersions bounds the versions that are counted each by itself, since a reply may name anything, such as a number of its own.
const mostVersions = 50

// otherVersions is what the rest is counted as.
const otherVersions = "others"

func (t *tally) countReply(version string) {
	if _, counted := t.now.Replies[version]; !counted && len(t.now.Replies) >= mostVersions {
		version = otherVersions
	}
	t.now.Replies[version]++
}

func (l *laneTally) count(h evidence.Hit) {
	lag := h.Sent - h.Due
	l.requests, l.latest = l.requests+1, max(l.latest, lag)
	if lag > lateAtRest {
		l.late++
	}
	if h.Failed() {
		l.failed++
	}
}

// tooMuch says which lane was late so far, or which control lane lost a request; empty if none.
func (t *tally) tooMuch() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lanes {
		switch {
		case l.failed > 0 && l.Kind().IsControl():
			return fmt.Sprintf("%d of %d requests of %s, which no rollout touches, failed before anything changed", l.failed, l.requests, l.ID)
		case l.late > max(1, l.requests/100):
			return fmt.Sprintf("%d of %d requests of %s were sent over %.3f s late before anything changed, the latest %.3f s", l.late, l.requests,
				l.ID, lateAtRest.Seconds(), l.latest.Seconds())
		}
	}
	return ""
}

// soFar returns what clients of the app saw so far.
func (t *tally) soFar() progress.Running {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now
	now.Replies = maps.Clone(now.Replies)
	return now
}
