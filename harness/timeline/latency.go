package timeline

import (
	"math"
	"slices"
	"time"
)

// A Latency is how long good replies took, each from the sending of its request until the whole reply was read. Percentiles are
// by nearest rank.
type Latency struct {
	Count               int // of good replies
	P50, P99, P999, Max time.Duration
}

// finishLatency computes the latency of the whole lane, of each phase, and since the first change.
func (b *builder) finishLatency() {
	b.summary.Latency = b.latency(math.MinInt64, never)
	b.summary.LatencyIn = make(map[Phase]Latency)
	bounds := b.t.phaseBounds()
	for i := range max(1, len(bounds)) - 1 {
		if in := b.latency(bounds[i], slices.Min(bounds[i+1:])); in.Count > 0 {
			b.summary.LatencyIn[Before+Phase(i)] = in
		}
	}
	if step := b.windows.sinceStep; step != nil {
		b.summary.LatencySinceStep = b.latency(step[0].From, step[0].To)
	} else if len(bounds) > 0 {
		b.summary.LatencySinceStep = b.latency(slices.Min(bounds[1:3]), bounds[3])
	}
	b.finishSlow()
}

// latency returns the latency of the good replies to requests that were sent between two moments.
func (b *builder) latency(from, to time.Duration) Latency {
	b.took = b.took[:0]
	first := b.sentBefore(from)
	for _, h := range b.sent[first:max(first, b.sentBefore(to))] {
		if !h.failed {
			b.took = append(b.took, max(0, h.took))
		}
	}
	if len(b.took) == 0 {
		return Latency{}
	}
	ranks := ranked(b.took, 500, 990, 999, 1000)
	return Latency{Count: len(b.took), P50: ranks[0], P99: ranks[1], P999: ranks[2], Max: ranks[3]}
}
