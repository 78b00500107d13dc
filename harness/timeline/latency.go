package timeline

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// A Latency is how long good replies took, each from when its request was sent until the whole reply was read. Percentiles are
// by nearest rank, up to 1/128 too high and never too low; the longest is exact.
type Latency struct {
	Count               int // of good replies
	P50, P99, P999, Max time.Duration
}

// A histogram counts durations in buckets as narrow as 1/128 of what they count, in memory that does not grow.
type histogram struct {
	buckets [buckets]uint32
	count   int
	max     time.Duration
}

const (
	// precision is how many bits of a duration are kept after the first one.
	precision = 7
	buckets   = (63-precision)<<precision + 1<<precision
)

func bucketOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-precision-1)
	return shift<<precision + int(d>>shift)
}

// longestIn is the longest duration that a bucket counts.
func longestIn(bucket int) time.Duration {
	shift := max(0, bucket>>precision-1)
	return time.Duration(bucket-shift<<precision+1)<<shift - 1
}

func (h *histogram) add(d time.Duration) {
	d = max(0, d)
	h.buckets[bucketOf(d)]++
	h.count++
	h.max = max(h.max, d)
}

func (h *histogram) latency() Latency {
	l := Latency{Count: h.count, Max: h.max}
	seen, bucket := 0, -1
	for _, at := range []struct {
		permille int
		value    *time.Duration
	}{{500, &l.P50}, {990, &l.P99}, {999, &l.P999}} {
		for rank := (h.count*at.permille + 999) / 1000; seen < rank; {
			bucket++
			seen += int(h.buckets[bucket])
		}
		if h.count > 0 {
			*at.value = min(h.max, longestIn(bucket))
		}
	}
	return l
}

// finishLatency measures the replies of the whole lane, of each phase and since the first change.
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

// latency is that of the good replies to requests that were sent in a time.
func (b *builder) latency(from, to time.Duration) Latency {
	var took histogram
	first := b.sentBefore(from)
	for _, h := range b.sent[first:max(first, b.sentBefore(to))] {
		if !h.failed {
			took.add(h.took)
		}
	}
	return took.latency()
}
