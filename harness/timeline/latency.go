package timeline

import (
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
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
	ended, over := b.t.Mark(evidence.LoadEnded)
	if !over {
		ended = never
	}
	for _, w := range b.windows.sinceChange {
		b.summary.LatencySinceChange = b.latency(w.From, ended)
	}
	b.finishSlow()
}

// latency returns the latency of the good replies to requests that were sent between two moments.
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
