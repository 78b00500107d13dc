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
func newSeries(replies map[string][]reply, order func(a, b string) int, from, to time.Duration) series {
	s := series{From: from.Milliseconds(), Versions: slices.AppendSeq([]string{}, maps.Keys(replies)), Replies: [][]int{}}
	slices.SortFunc(s.Versions, order)
	total := 0
	for _, rs := range replies {
		total += len(rs)
	}
	n := 0
	s.Width, n = width(max(1, to.Milliseconds()-s.From), total)
	placed := make([]reply, 0, total)
	for _, version := range s.Versions {
		counts := make([]int, n)
		for _, r := range replies[version] {
			bucket := min(max(0, (r.sent()-s.From)/s.Width), int64(n-1))
			counts[bucket]++
			placed = append(placed, reply(bucket)<<32|reply(r.took()))
		}
		s.Replies = append(s.Replies, counts)
	}
	slices.Sort(placed)
	s.P50, s.P99, s.Max = make([]*int, n), make([]*int, n), make([]*int, n)
	for len(placed) > 0 {
		bucket, many := placed[0].sent(), 1
		for many < len(placed) && placed[many].sent() == bucket {
			many++
		}
		rank := func(percent int) *int { return new(int(placed[(many*percent+99)/100-1].took())) }
		s.P50[bucket], s.P99[bucket], s.Max[bucket] = rank(50), rank(99), rank(100)
		placed = placed[many:]
	}
	return s
}

// width returns the smallest round width of a bucket that will do, and how many buckets span the time.
func width(span int64, replies int) (millis int64, buckets int) {
	for scale := int64(100); ; scale *= 10 {
		for _, times := range []int64{1, 2, 5} {
			millis = scale * times
			buckets = int((span + millis - 1) / millis)
			if buckets <= maxBuckets && (buckets == 1 || replies >= buckets*leastPerBucket || millis >= enough) {
				return millis, buckets
			}
		}
	}
}
