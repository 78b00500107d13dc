package timeline

import (
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A LaneSummary is what one client saw, in numbers. Requests is always the sum of Failures and ByVersion.
type LaneSummary struct {
	Requests  int
	Failures  map[evidence.Fault]int // every known fault has a key
	ByVersion map[string]int         // good replies
	Retried   int                    // requests given to more than one connection
	Rate      float64                // achieved, per second; 0 with fewer than two hits
	Lag       Spread                 // of Sent-Due: the generator's own lateness
	Outages   []Outage
}

// A Spread is how a set of durations is distributed, each value being one of the set (nearest
// rank, no interpolation). Of an empty set all are zero.
type Spread struct{ P50, P99, Max time.Duration }

// SpreadOf measures a set of durations in any order, which it leaves as it is.
func SpreadOf(ds []time.Duration) Spread {
	if len(ds) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(ds))
	rank := func(percent int) time.Duration { return sorted[(len(sorted)*percent+99)/100-1] }
	return Spread{P50: rank(50), P99: rank(99), Max: rank(100)}
}

// Failed is how many requests failed, of every kind.
func (s LaneSummary) Failed() int {
	n := 0
	for _, count := range s.Failures {
		n += count
	}
	return n
}

// LongestOutage is the length of the longest outage; 0 without one.
func (s LaneSummary) LongestOutage() time.Duration {
	var longest time.Duration
	for _, o := range s.Outages {
		longest = max(longest, o.Length())
	}
	return longest
}

func summarize(hits []evidence.Hit, ended time.Duration) LaneSummary {
	s := LaneSummary{
		Requests:  len(hits),
		Failures:  make(map[evidence.Fault]int),
		ByVersion: make(map[string]int),
		Rate:      achievedRate(hits),
		Outages:   outages(hits, ended),
	}
	for _, fault := range evidence.Faults() {
		s.Failures[fault] = 0
	}
	lags := make([]time.Duration, 0, len(hits))
	for _, h := range hits {
		if h.Failed() {
			s.Failures[h.Fault]++
		} else {
			s.ByVersion[h.By.Version]++
		}
		if h.Attempts > 1 {
			s.Retried++
		}
		lags = append(lags, h.Sent-h.Due)
	}
	s.Lag = SpreadOf(lags)
	return s
}

// achievedRate divides the intervals between hits, one fewer than hits, by the longer of the span
// in which they were owed and the span in which they were sent. Four hits due at 0, 10, 20 and
// 30 ms are 3 intervals in 30 ms: exactly 100 per second. Due alone would hide a generator that
// falls ever further behind, Sent alone one that starts late and catches up in a burst.
func achievedRate(hits []evidence.Hit) float64 {
	if len(hits) < 2 {
		return 0
	}
	firstDue, lastDue := hits[0].Due, hits[0].Due
	firstSent, lastSent := hits[0].Sent, hits[0].Sent
	for _, h := range hits {
		firstDue, lastDue = min(firstDue, h.Due), max(lastDue, h.Due)
		firstSent, lastSent = min(firstSent, h.Sent), max(lastSent, h.Sent)
	}
	span := max(lastDue-firstDue, lastSent-firstSent)
	if span <= 0 {
		return 0
	}
	return float64(len(hits)-1) * float64(time.Second) / float64(span)
}
