package timeline

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A SlowReply is a good one that came so late that TCP may have lost something and sent it again, which its client does not see.
type SlowReply struct {
	Hit
	Cause SlowCause
}

// A SlowCause is what made a reply late.
type SlowCause uint8

// The causes.
const (
	SlowAnswer SlowCause = iota // the connection was open and the request was not sent again
	DataResent                  // the client's kernel sent it again
	SYNResent                   // opening the connection took as long as the kernel waits before it sends a SYN again
)

func (c SlowCause) String() string {
	return [...]string{"answered a second late", "data sent again after 0.2 s", "SYN sent again after 1 s"}[min(c, SYNResent)]
}

// Timer is how long TCP waits at least before it does what made the reply late; an answer is held to the longer one.
func (c SlowCause) Timer() time.Duration {
	if c == DataResent {
		return dataTimer
	}
	return synTimer
}

// Timers of TCP on Linux (include/net/tcp.h): a SYN is sent again after TCP_TIMEOUT_INIT, as RFC 6298 has it; data
// after TCP_RTO_MIN and a round trip, and then after twice as long each time.
const (
	synTimer  = time.Second
	dataTimer = 200 * time.Millisecond
)

// maxSlowest bounds how many of the slowest replies of a lane are kept.
const maxSlowest = 20

// noteLatency measures a good reply, and keeps it if it is one of the slowest or may have been held up by TCP.
func (b *builder) noteLatency(h *evidence.Hit, at []evidence.Arrival) {
	b.latency[phaseIn(b.bounds, h.Sent)].add(h.Took)
	if b.control && h.Took >= dataTimer {
		noteLongest(b.lane.slowControl, h.Sent, h.End(), h.Took)
	}
	if h.Took > b.slowestLeast {
		b.keepSlowest(Hit{Hit: *h, Arrivals: slices.Clone(at)})
	}
	cause, slow := SlowAnswer, b.timesApp && h.Took-h.Connect >= synTimer
	switch {
	case h.Connect >= synTimer:
		cause, slow = SYNResent, true
	case h.Resent > 0:
		cause, slow = DataResent, true
	}
	if slow {
		b.lane.Slow = append(b.lane.Slow, SlowReply{Hit{Hit: *h, Arrivals: slices.Clone(at)}, cause})
	}
}

// keepSlowest keeps a reply in place of the least slow one.
func (b *builder) keepSlowest(h Hit) {
	kept := &b.lane.Slowest
	if len(*kept) < maxSlowest {
		*kept = append(*kept, h)
	} else {
		least := slices.IndexFunc(*kept, func(k Hit) bool { return k.Took == b.slowestLeast })
		(*kept)[least] = h
	}
	if len(*kept) == maxSlowest {
		b.slowestLeast = slices.MinFunc(*kept, func(a, b Hit) int { return cmp.Compare(a.Took, b.Took) }).Took
	}
}

// finishSlow leaves out the answers that took a second because the app takes so long: half of those before the rollout did.
func (b *builder) finishSlow() {
	own := b.summary.LatencyIn[Before].P50
	b.lane.Slow = slices.DeleteFunc(b.lane.Slow, func(s SlowReply) bool {
		return s.Cause == SlowAnswer && s.Took-s.Connect < synTimer+own
	})
	slices.SortStableFunc(b.lane.Slow, func(x, y SlowReply) int { return bySent(x.Hit, y.Hit) })
	slices.SortFunc(b.lane.Slowest, func(x, y Hit) int { return cmp.Or(cmp.Compare(y.Took, x.Took), bySent(x, y)) })
}

// noteLate notes when the client itself was late, by as much as TCP's timers would have to allow for.
func (b *builder) noteLate(h *evidence.Hit) {
	if late := h.Sent - h.Due; late >= dataTimer/2 {
		noteLongest(b.lane.late, h.Due, h.Sent, late)
	}
}

// noteLongest notes a duration in each second from one time to another.
func noteLongest(seconds map[int]time.Duration, from, to, d time.Duration) {
	for s := range secondsOf(from, to) {
		seconds[s] = max(seconds[s], d)
	}
}

// secondsOf are those from one time to another, not more than the last minute of it.
func secondsOf(from, to time.Duration) iter.Seq[int] {
	return func(yield func(int) bool) {
		for s := int(max(from, to-time.Minute) / time.Second); s <= int(to/time.Second) && yield(s); s++ {
		}
	}
}

// Late is the longest that any client sent a request late in the seconds of a request, and which lane did.
func (t Timeline) Late(h Hit) (late time.Duration, lane string) {
	return t.longest(h, func(l Lane) map[int]time.Duration { return l.late })
}

// SlowControl is the longest that a reply took in the seconds of a request on a control lane, and on which lane.
func (t Timeline) SlowControl(h Hit) (took time.Duration, lane string) {
	return t.longest(h, func(l Lane) map[int]time.Duration { return l.slowControl })
}

func (t Timeline) longest(h Hit, of func(Lane) map[int]time.Duration) (longest time.Duration, lane string) {
	for _, l := range t.Lanes {
		for s := range secondsOf(h.Sent, h.End()) {
			if d := of(l)[s]; d > longest {
				longest, lane = d, l.ID
			}
		}
	}
	return longest, lane
}
