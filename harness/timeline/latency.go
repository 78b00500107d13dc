package timeline

import (
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// latencies counts how long good replies took, by when their requests were sent.
type latencies struct {
	bounds []time.Duration // ascending
	in     []counted       // before the first bound, from that to the second, and so on; one more than bounds
}

func (t *Timeline) newLatencies() latencies {
	bounds := t.phaseBounds()
	if at, ok := t.FirstChange(); ok {
		bounds = append(bounds, at)
	}
	if at, ok := t.Mark(evidence.LoadEnded); ok {
		bounds = append(bounds, at)
	}
	slices.Sort(bounds)
	l := latencies{bounds: slices.Compact(bounds)}
	for range len(l.bounds) + 1 {
		l.in = append(l.in, counted{})
	}
	return l
}

func (l latencies) add(h *evidence.Hit) {
	i := 0
	for i < len(l.bounds) && l.bounds[i] <= h.Sent {
		i++
	}
	l.in[i].addMicros(max(0, h.Took))
}

// between returns the latency of requests that were sent from one of the bounds, or the beginning, to another, or the end.
func (l latencies) between(from, to time.Duration) Spread {
	all, begin := counted{}, time.Duration(math.MinInt64)
	for i, end := range append(l.bounds, never) {
		if from <= begin && end <= to {
			all.addAll(l.in[i])
		}
		begin = end
	}
	return all.spread()
}

// noteTokens counts how long the tokens of a stream were awaited, and the streams that the first change found open.
func (b *builder) noteTokens(h *evidence.Hit) {
	for _, w := range b.windows.sinceChange {
		if b.lane.Protocol.Streams() && h.Sent < w.From && h.End() >= w.From {
			b.summary.StreamsAtChange++
		}
	}
	if h.FirstMicros > 0 {
		b.firsts.addMicros(h.FirstToken())
	}
	if h.Tokens > 1 || h.Tokens > 0 && h.Marked {
		b.tokenGaps.addMicros(h.TokenGap())
	}
}

// finishLatency computes the latency of the whole lane, of each phase, and since the first change.
func (b *builder) finishLatency() {
	b.summary.Latency = b.latencies.between(math.MinInt64, never)
	b.summary.LatencyIn = make(map[Phase]Spread)
	bounds := b.t.phaseBounds()
	for i := range max(1, len(bounds)) - 1 {
		if in := b.latencies.between(bounds[i], slices.Min(bounds[i+1:])); in.Count > 0 {
			b.summary.LatencyIn[Before+Phase(i)] = in
		}
	}
	ended, over := b.t.Mark(evidence.LoadEnded)
	if !over {
		ended = never
	}
	for _, w := range b.windows.sinceChange {
		b.summary.LatencySinceChange = b.latencies.between(w.From, ended)
	}
	b.finishSlow()
}
