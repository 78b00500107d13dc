package timeline

import (
	"math/bits"
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

func (h *histogram) merge(more *histogram) {
	if more.count == 0 {
		return
	}
	for i, n := range more.buckets[:bucketOf(more.max)+1] {
		h.buckets[i] += n
	}
	h.count += more.count
	h.max = max(h.max, more.max)
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

// finishLatency sums up the phases of the lane, and gives the histograms free.
func (b *builder) finishLatency() {
	b.summary.LatencyIn = make(map[Phase]Latency)
	var whole histogram
	for phase := range b.latency {
		h := &b.latency[phase]
		if h.count > 0 && Phase(phase) != Outside {
			b.summary.LatencyIn[Phase(phase)] = h.latency()
		}
		whole.merge(h)
		*h = histogram{}
	}
	b.summary.Latency, b.summary.LatencySinceStep = whole.latency(), b.changed.latency()
	b.changed = histogram{}
	b.finishSlow()
}
