package timeline

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A SlowReply is a good reply that took so long that TCP may have lost a packet and sent it again, which its client does not see.
type SlowReply struct {
	Hit
	Cause SlowCause
	Late  time.Duration // of [LateTogether]: by how much it was over what counts as usual
}

// A SlowCause is what made a reply slow.
type SlowCause uint8

// The causes.
const (
	SlowAnswer   SlowCause = iota // neither of those below: the answer itself took long
	DataResent                    // the client's kernel sent the request again
	SYNResent                     // opening the connection took as long as the kernel waits before it sends a SYN again
	LateTogether                  // its pod answered several requests late that it had at the same time
)

func (c SlowCause) String() string {
	return [...]string{"answered a second late", "data sent again after 0.2 s", "SYN sent again after 1 s",
		"late, several at once"}[min(c, LateTogether)]
}

// Resent reports whether TCP sent something again.
func (c SlowCause) Resent() bool { return c == DataResent || c == SYNResent }

// Timer returns how long TCP waits, at least, before it does what made the reply slow. For other causes it returns the longer timer.
func (c SlowCause) Timer() time.Duration {
	if c == DataResent {
		return dataTimer
	}
	return SYNTimer
}

// Timers of TCP on Linux (include/net/tcp.h): a SYN is sent again after TCP_TIMEOUT_INIT, as in RFC 6298; data
// after TCP_RTO_MIN and a round trip, and then after twice as long each time.
const (
	SYNTimer  = time.Second
	dataTimer = 200 * time.Millisecond
)

// LeastWait is the shortest wait of a client that counts, and the shortest of anybody that excuses anything: half of TCP's shorter timer.
const LeastWait = dataTimer / 2

// maxSlowest is how many of the slowest replies of a lane are kept, at most.
const maxSlowest = 20

// noteLatency counts a good reply since the rollout began, and keeps it if it is one of the slowest or may have been delayed by TCP.
func (b *builder) noteLatency(h *evidence.Hit, at []evidence.Arrival) {
	steady := b.lane.Protocol.Steady()
	if h.Took >= dataTimer && b.lane.Kind().IsControl() && steady {
		b.lane.slowControl = noteWait(b.lane.slowControl, Wait{Actor: Actor{Pod: h.By.Pod}, Window: Window{From: h.Sent, To: h.End()},
			Waited: h.Took, AnyPod: true})
	}
	cause, resent := resentBy(h)
	undisturbed := h.End()+b.lane.uncertainty < b.begun
	if b.lane.Kind().IsControl() || undisturbed {
		b.lane.Undisturbed.add(resent)
	}
	if undisturbed && !resent {
		b.lane.slowestBefore = max(b.lane.slowestBefore, answerTime(h))
	}
	if !b.sinceBegun(h) {
		return
	}
	b.summary.GoodSinceBegun++
	if h.Took > b.slowestLeast {
		b.keepSlowest(Hit{Hit: *h, Arrivals: slices.Clone(at)})
	}
	if resent || b.timesApp && answerTime(h) >= SYNTimer {
		b.lane.Slow = append(b.lane.Slow, SlowReply{Hit: Hit{Hit: *h, Arrivals: slices.Clone(at)}, Cause: cause})
	}
	if !resent && steady && answerTime(h) >= lateAnswer+b.lane.slowestBefore && b.lane.Kind().RequestsApp() {
		b.lane.lateAnswers = append(b.lane.lateAnswers, Hit{Hit: *h, Arrivals: slices.Clone(at)})
	}
}

// answerTime returns how long a reply took once its connection was open.
func answerTime(h *evidence.Hit) time.Duration { return h.Took - h.Connect }

// resentBy reports whether a reply waited until TCP sent something again, and what.
func resentBy(h *evidence.Hit) (cause SlowCause, resent bool) {
	switch {
	case h.Connect >= SYNTimer:
		return SYNResent, true
	case h.Resent > 0:
		return DataResent, true
	}
	return SlowAnswer, false
}

// Resends count the replies that waited until TCP sent something again, of a number of replies.
type Resends struct{ Resent, Of int }

func (r *Resends) add(resent bool) {
	r.Of++
	if resent {
		r.Resent++
	}
}

// keepSlowest adds a reply to the slowest, and drops the fastest of them if they are too many.
func (b *builder) keepSlowest(h Hit) {
	slowest := append(b.lane.Slowest, h)
	slices.SortFunc(slowest, func(x, y Hit) int { return cmp.Or(cmp.Compare(y.Took, x.Took), BySent(x, y)) })
	if len(slowest) >= maxSlowest {
		slowest = slowest[:maxSlowest]
		b.slowestLeast = slowest[maxSlowest-1].Took
	}
	b.lane.Slowest = slowest
}

// finishSlow drops the slow answers that are not slow for this app: it adds the median from before the rollout to the limit.
func (b *builder) finishSlow() {
	own := b.summary.LatencyIn[Before].P50
	b.lane.Slow = slices.DeleteFunc(b.lane.Slow, func(s SlowReply) bool {
		return s.Cause == SlowAnswer && answerTime(&s.Hit.Hit) < SYNTimer+own
	})
	b.lane.slowestBefore = max(b.lane.slowestBefore, own) // of an app that is so slow that none was over by then
	slices.SortStableFunc(b.lane.Slow, func(x, y SlowReply) int { return BySent(x.Hit, y.Hit) })
}

// noteLate notes a wait of the client if it sent the hit that long after it was due.
func (b *builder) noteLate(h *evidence.Hit) {
	if late := h.Sent - h.Due; late >= LeastWait {
		b.lane.late = noteWait(b.lane.late, Wait{Actor: Actor{Node: cmp.Or(b.lane.Node, outside), Program: Client},
			Window: Window{From: h.Due, To: h.Sent}, Waited: late})
	}
}

// Usual returns the median latency of a lane before the rollout.
func (t Timeline) Usual(lane string) time.Duration {
	return t.lane(lane).Summary.LatencyIn[Before].P50
}
