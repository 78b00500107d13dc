package timeline

import (
	"math"
	"slices"
	"time"
)

// finishLatency computes the latency of the whole lane, of each phase, and since the first change.
func (b *builder) finishLatency() {
	b.summary.Latency = b.latency(math.MinInt64, never)
	b.summary.LatencyIn = make(map[Phase]Spread)
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

// latency returns how long the good replies took to requests that were sent between two moments.
func (b *builder) latency(from, to time.Duration) Spread {
	b.took = b.took[:0]
	first := b.sentBefore(from)
	for _, h := range b.sent[first:max(first, b.sentBefore(to))] {
		if !h.failed {
			b.took = append(b.took, max(0, h.took))
		}
	}
	return SpreadOf(b.took)
}
