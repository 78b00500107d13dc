package page

import (
	"cmp"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A replyCounter counts good replies on the stream of hits while it is joined, so that a long stream is read once. It keeps 8 bytes of
// each.
type replyCounter struct {
	replies map[string][]reply // of the app, by version
	asksApp map[string]bool    // by lane
}

// A reply packs when its request was sent, in milliseconds since Run.Began (upper half), and how long it took, in microseconds (lower
// half).
type reply uint64

// unnamed is the version of a reply that names none, if it is not known to which pod its connection was routed.
const unnamed = "not known"

func newReplyCounter(run evidence.Run) *replyCounter {
	t := &replyCounter{replies: map[string][]reply{}, asksApp: map[string]bool{}}
	for _, lane := range run.Lanes {
		t.asksApp[lane.ID] = lane.Kind().AsksApp()
	}
	return t
}

// count counts a hit. It ignores the error of a stream that is not whole, which is a problem of the timeline.
func (t *replyCounter) count(h evidence.Hit, err error) {
	if err == nil && t.asksApp[h.Lane] && !h.Failed() {
		version := cmp.Or(h.By.Version, unnamed)
		t.replies[version] = append(t.replies[version], newReply(h.Sent, h.Took))
	}
}

func newReply(sent, took time.Duration) reply {
	const most = 1<<32 - 1
	return reply(min(max(0, sent.Milliseconds()), most))<<32 | reply(min(max(0, took.Microseconds()), most))
}

func (r reply) sent() int64 { return int64(r >> 32) }
func (r reply) took() int64 { return int64(r & (1<<32 - 1)) }
