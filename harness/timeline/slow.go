package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
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

// noteLatency keeps a good reply if it is one of the slowest or may have been held up by TCP.
func (b *builder) noteLatency(h *evidence.Hit, at []evidence.Arrival) {
	if h.Took >= dataTimer && b.lane.Kind().IsControl() {
		b.lane.slowControl = noteWait(b.lane.slowControl, Wait{Actor: Actor{Pod: h.By.Pod}, Window: Window{From: h.Sent, To: h.End()},
			Waited: h.Took, any: true})
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

// keepSlowest keeps a reply, and leaves out the least slow one of too many.
func (b *builder) keepSlowest(h Hit) {
	slowest := append(b.lane.Slowest, h)
	slices.SortFunc(slowest, func(x, y Hit) int { return cmp.Or(cmp.Compare(y.Took, x.Took), bySent(x, y)) })
	if len(slowest) >= maxSlowest {
		slowest = slowest[:maxSlowest]
		b.slowestLeast = slowest[maxSlowest-1].Took
	}
	b.lane.Slowest = slowest
}

// finishSlow leaves out the answers that took a second because the app takes so long: half of those before the rollout did.
func (b *builder) finishSlow() {
	own := b.summary.LatencyIn[Before].P50
	b.lane.Slow = slices.DeleteFunc(b.lane.Slow, func(s SlowReply) bool {
		return s.Cause == SlowAnswer && s.Took-s.Connect < synTimer+own
	})
	slices.SortStableFunc(b.lane.Slow, func(x, y SlowReply) int { return bySent(x.Hit, y.Hit) })
}

// noteLate notes when the client itself was late, by as much as TCP's timers would have to allow for.
func (b *builder) noteLate(h *evidence.Hit) {
	if late := h.Sent - h.Due; late >= dataTimer/2 {
		b.lane.late = noteWait(b.lane.late, Wait{Actor: Actor{Node: cmp.Or(b.lane.Node, outside), Program: Client},
			Window: Window{From: h.Due, To: h.Sent}, Waited: late})
	}
}

// Usual is what half of the replies of a lane took before the rollout at most.
func (t Timeline) Usual(lane string) time.Duration {
	return t.lane(lane).Summary.LatencyIn[Before].P50
}
