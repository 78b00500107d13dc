package page

import (
	"cmp"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A replyCounter counts good replies on the stream of hits while it is joined, so that a long stream is read once. Of up to maxReplies
// different ones it keeps what a [reply] has. If there are more, it makes them alike: it has the times of sending on a grid, ever
// wider, and the latencies in two digits.
type replyCounter struct {
	replies     map[string]map[reply]int // of the app, by version
	kept        int                      // how many different ones
	grid        int64                    // milliseconds
	requestsApp map[string]bool          // by lane
}

const (
	maxReplies = 1 << 20 // of 8 bytes, and as much for their number
	leastGrid  = 100     // milliseconds; each wider one is a power of ten
)

// A reply packs when its request was sent, in milliseconds since Run.Began (upper half), and how long it took, in microseconds (lower
// half).
type reply uint64

// unnamed is the version of a reply that names none, if it is not known to which pod its connection was routed.
const unnamed = "not known"

func newReplyCounter(run evidence.Run) *replyCounter {
	t := &replyCounter{replies: map[string]map[reply]int{}, grid: 1, requestsApp: map[string]bool{}}
	for _, lane := range run.Lanes {
		t.requestsApp[lane.ID] = lane.Kind().RequestsApp()
	}
	return t
}

// count counts a hit. It ignores the error of a stream that is not whole, which is a problem of the timeline.
func (t *replyCounter) count(h evidence.Hit, err error) {
	if err == nil && t.requestsApp[h.Lane] && h.Good() {
		version := cmp.Or(h.By.Version, unnamed)
		t.add(version, newReply(h.Sent, h.Took), 1)
	}
}

func (t *replyCounter) add(version string, r reply, n int) {
	r = r.on(t.grid)
	of := t.replies[version]
	if of == nil {
		of = map[reply]int{}
		t.replies[version] = of
	}
	if of[r] += n; of[r] > n {
		return
	}
	if t.kept++; t.kept > maxReplies {
		t.widen()
	}
}

// widen counts the replies again, on a wider grid.
func (t *replyCounter) widen() {
	all := t.replies
	t.replies, t.kept, t.grid = map[string]map[reply]int{}, 0, max(leastGrid, 10*t.grid)
	for version, of := range all {
		for r, n := range of {
			t.add(version, r, n)
		}
	}
}

func newReply(sent, took time.Duration) reply {
	const most = 1<<32 - 1
	return reply(min(max(0, sent.Milliseconds()), most))<<32 | reply(min(max(0, took.Microseconds()), most))
}

// on returns the reply on a grid of milliseconds; on the finest it stays as it is.
func (r reply) on(grid int64) reply {
	if grid == 1 {
		return r
	}
	took, unit := r.took(), int64(1)
	for took >= 100*unit {
		unit *= 10
	}
	return reply(r.sent()/grid*grid)<<32 | reply(took/unit*unit)
}

func (r reply) sent() int64 { return int64(r >> 32) }
func (r reply) took() int64 { return int64(r & (1<<32 - 1)) }
