package page

import (
	"maps"
	"slices"
	"time"
)

// series has the replies of a scenario in buckets of one width, the first of which begins at From. Times are in milliseconds, latencies in
// microseconds.
type series struct {
	From     int64    `json:"from"`
	Width    int64    `json:"width"`
	Versions []string `json:"versions"`
	Replies  [][]int  `json:"replies"` // by version and bucket
	P50      []*int   `json:"p50"`     // by bucket; null: no reply
	P99      []*int   `json:"p99"`
	Max      []*int   `json:"max"`
}

const (
	maxBuckets = 4000
	// leastPerBucket is how many replies a bucket should hold on average: with fewer, the 99th percentile is the slowest.
	leastPerBucket = 100
	// enough is the width, in milliseconds, from which on buckets are not widened to hold that many.
	enough = 500
)

// newSeries sorts replies into buckets from one moment to another, and versions by the given order. A reply outside counts in the nearest
// bucket.
func newSeries(t *replyCounter, order func(a, b string) int, from, to time.Duration) series {
	first := from.Milliseconds()
	s := series{From: first - (first%t.grid+t.grid)%t.grid, Versions: slices.AppendSeq([]string{}, maps.Keys(t.replies)), Replies: [][]int{}}
	slices.SortFunc(s.Versions, order)
	total := 0
	for _, of := range t.replies {
		for _, n := range of {
			total += n
		}
	}
	n := 0
	s.Width, n = width(max(1, to.Milliseconds()-s.From), total, t.grid)
	placed := map[reply]int{} // by bucket in place of milliseconds
	for _, version := range s.Versions {
		counts := make([]int, n)
		for r, many := range t.replies[version] {
			bucket := min(max(0, (r.sent()-s.From)/s.Width), int64(n-1))
			counts[bucket] += many
			placed[reply(bucket)<<32|reply(r.took())] += many
		}
		s.Replies = append(s.Replies, counts)
	}
	s.P50, s.P99, s.Max = make([]*int, n), make([]*int, n), make([]*int, n)
	sorted := slices.Sorted(maps.Keys(placed))
	for len(sorted) > 0 {
		bucket, end, many := sorted[0].sent(), 0, 0
		for ; end < len(sorted) && sorted[end].sent() == bucket; end++ {
			many += placed[sorted[end]]
		}
		within := 0
		for _, r := range sorted[:end] {
			before, took := within, int(r.took())
			within += placed[r]
			for _, rank := range []struct {
				of      []*int
				percent int
			}{{s.P50, 50}, {s.P99, 99}, {s.Max, 100}} {
				if n := (many*rank.percent + 99) / 100; before < n && n <= within {
					rank.of[bucket] = new(took)
				}
			}
		}
		sorted = sorted[end:]
	}
	return s
}

// width returns the smallest round width of a bucket that will do, and how many buckets span the time. The grid divides it.
func width(span int64, replies int, grid int64) (millis int64, buckets int) {
	for scale := max(leastGrid, grid); ; scale *= 10 {
		for _, times := range []int64{1, 2, 5} {
			millis = scale * times
			buckets = int((span + millis - 1) / millis)
			if buckets <= maxBuckets && (buckets == 1 || replies >= buckets*leastPerBucket || millis >= enough) {
				return millis, buckets
			}
		}
	}
}
