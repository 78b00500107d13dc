package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A LaneSummary is what one client saw, in numbers. Requests is the sum of Failures and
// ByVersion, but for good replies that name no version, which are a problem of the recording. With arrivals
// recorded, Arrivals is Requests less NeverArrived, plus what was sent more than once.
type LaneSummary struct {
	Requests  int
	Failures  map[evidence.Fault]int // every known fault has a key
	ByVersion map[string]int         // good replies

	Retried      int // requests given to more than one connection, or that arrived more than once
	LostReplies  int // requests a pod got, of which the client saw no reply
	NeverArrived int // requests no pod logged or answered
	Unknown      int // requests sent before an agent went away that are none of Requests: nobody knows how they ended
	Arrivals     int // that pods logged, and one of each request that was answered by a pod whose log is known to be lost
	Back         int // replies by another version right after one by the new version, in the order of sending

	SinceBegun        int // requests sent once the rollout had begun, as surely as the clocks tell
	ArrivedSinceBegun int // of those, the ones that a pod got
	WhileTerminating  int // requests sent while an old pod was terminating and another pod was ready, as surely as the clocks tell
	// requests sent while no pod served, while only terminating pods did that had got no SIGTERM, and while a pod counted as ready that
	// did not listen yet, as surely as the clocks tell
	WhileNoneServing, WhileOnlyTerminating, WhileStarting int
	SinceSwitch                                           int // replies on keep-alive connections on which the new version had answered before
	InMaintenance                                         int // requests sent in maintenance, as surely as the clocks tell
	// SinceStep are requests sent since the first step of maintenance, as surely; without one SinceBegun.
	SinceStep int

	Routings Routings // of the connections of its requests

	Rate    float64 // achieved, per second; 0 with fewer than two hits
	Lag     Spread  // of Sent-Due: the generator's own lateness
	Latency Latency // of good replies
	// LatencySinceStep is the same of requests that were sent since the first step of maintenance; without one since the rollout began.
	LatencySinceStep Latency
	// LatencyIn is the same by the phase in which the request was sent; phases without a good reply are not in it.
	LatencyIn map[Phase]Latency

	Outages []Outage
	Gap     Gap // the longest

	FirstSent, LastSent time.Duration // of its requests; 0 if there are none

	firstDue, lastDue time.Duration
	leftOut, unknown  int // numbers without a hit between the first and the last: not sent, and sent
}

// add counts one more hit.
func (s *LaneSummary) add(h *evidence.Hit) {
	if s.Requests == 0 {
		s.FirstSent, s.LastSent, s.firstDue, s.lastDue = h.Sent, h.Sent, h.Due, h.Due
	}
	s.Requests++
	s.FirstSent, s.LastSent = min(s.FirstSent, h.Sent), max(s.LastSent, h.Sent)
	s.firstDue, s.lastDue = min(s.firstDue, h.Due), max(s.lastDue, h.Due)
	if h.Failed() {
		s.Failures[h.Fault]++
	}
}

// rate divides the intervals between hits, one fewer than hits, by the longer of the span in
// which they were owed and the span in which they were sent. Four hits due at 0, 10, 20 and 30 ms
// are 3 intervals in 30 ms: exactly 100 per second. Due alone would hide a generator that falls ever
// further behind, Sent alone one that starts late and catches up in a burst.
//
// What it left out while it was away counts neither as requests nor as time, which each would have taken an interval of.
func (s *LaneSummary) rate(asked int) float64 {
	interval := time.Second / time.Duration(max(1, asked))
	took := max(s.lastDue-s.firstDue, s.LastSent-s.FirstSent) - time.Duration(s.leftOut)*interval
	if took <= 0 {
		return 0
	}
	return float64(s.Requests+s.unknown-1) * float64(time.Second) / float64(took)
}

// Percentile is the value of an ascending list, of at least one, that percent of them do not exceed: the median for 50, the
// lower one of two in the middle.
func Percentile[T any](ascending []T, percent int) T {
	return ascending[(len(ascending)*percent+99)/100-1]
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
