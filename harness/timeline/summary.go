package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A LaneSummary is what one client saw, in numbers. Requests is the sum of Failures, Returned and
// ByVersion, except for good replies that name no version, which are a problem of the recording. With arrivals
// recorded, Arrivals is Requests less NeverArrived, plus what was sent more than once.
type LaneSummary struct {
	Requests  int
	Failures  map[evidence.Fault]int // has a key for every known fault
	ByVersion map[string]int         // good replies

	Returned     int // requests that the server vouches it did not process, which are in neither; their client may send them again
	Retried      int // requests given to more than one connection, or that arrived more than once
	LostReplies  int // requests that a pod got, but whose reply the client did not see
	NeverArrived int // requests that no pod logged or answered
	Unknown      int // requests sent before an agent went away whose outcome is unknown, see InFlight; not in Requests
	Arrivals     int // arrivals that pods logged, and one for each request answered by a pod whose log is known to be lost
	Back         int // replies by another version right after one by the new version, in the order of sending

	// Counts of requests sent in some time leave out requests that the clocks cannot place.

	SinceBegun        int // requests sent after the rollout began
	ArrivedSinceBegun int // the ones of SinceBegun that a pod got
	GoodSinceBegun    int // the ones of SinceBegun with a good reply
	WhileTerminating  int // requests sent while an old pod was terminating and another pod was ready
	// Requests sent while no pod served, while only terminating pods without SIGTERM served, and while a ready pod did not listen yet.
	WhileNoneServing, WhileOnlyTerminating, WhileStarting int
	InMaintenance                                         int // requests sent during the maintenance
	SinceChange                                           int // requests sent since [Timeline.FirstChange]
	StreamsAtChange                                       int // streams that were sent before that, and were not over then

	Routings   Routings // of the connections of its requests
	Attributed int      // of Routings.Pod, to a pod of the app

	Rate    float64 // achieved, per second; 0 with fewer than two hits
	Lag     Spread  // of Sent-Due: how late the load generator itself was
	Latency Spread  // of good replies: how long each took from the sending of its request until all of it was read
	// FirstToken and TokenGap are of streams, whether they became whole or not: how long after its request each got its first token, and the
	// longest time between two tokens of each.
	FirstToken, TokenGap Spread
	// LatencySinceChange is the latency of requests sent from [Timeline.FirstChange] until the load ended.
	LatencySinceChange Spread
	// LatencyIn is the latency by the phase in which the request was sent; phases without a good reply are not in it.
	LatencyIn map[Phase]Spread

	Outages []Outage
	Gap     Gap // the longest
	// Unseen and UnseenGaps are outages and gaps that may have gone on while its agent was away, with that time. Outages and Gap are as if
	// all requests had been served meanwhile.
	Unseen     []Outage
	UnseenGaps []Gap

	FirstSent, LastSent time.Duration // of its requests; 0 if there are none
	LastEnd             time.Duration // of its replies and faults; 0 if there are none
	// InFlight has, ascending, when the requests of Unknown were due.
	InFlight []time.Duration

	firstDue, lastDue time.Duration
	leftOut, unknown  int // numbers without a hit between the first and the last: of requests not sent, and of sent ones
}

func (s *LaneSummary) add(h *evidence.Hit) {
	if s.Requests == 0 {
		s.FirstSent, s.LastSent, s.firstDue, s.lastDue = h.Sent, h.Sent, h.Due, h.Due
	}
	s.Requests++
	s.FirstSent, s.LastSent = min(s.FirstSent, h.Sent), max(s.LastSent, h.Sent)
	s.LastEnd = max(s.LastEnd, h.End())
	s.firstDue, s.lastDue = min(s.firstDue, h.Due), max(s.lastDue, h.Due)
	switch {
	case h.Failed():
		s.Failures[h.Fault]++
	case !h.Good():
		s.Returned++
	}
}

// rate divides the intervals between hits, one fewer than hits, by the span in which they were due or
// the span in which they were sent, whichever is longer. Four hits due at 0, 10, 20 and 30 ms
// are 3 intervals in 30 ms: exactly 100 per second. Due alone would hide a generator that falls ever
// further behind, Sent alone one that starts late and catches up in a burst.
//
// Requests that the agent left out while it was away do not count, nor does an interval for each.
func (s *LaneSummary) rate(asked int) float64 {
	interval := time.Second / time.Duration(max(1, asked))
	took := max(s.lastDue-s.firstDue, s.LastSent-s.FirstSent) - time.Duration(s.leftOut)*interval
	if took <= 0 {
		return 0
	}
	return float64(s.Requests+s.unknown-1) * float64(time.Second) / float64(took)
}

// Percentile returns the value of an ascending list that percent of its values do not exceed: for 50 the median, the lower of two in
// the middle. The list has at least one value.
func Percentile[T any](ascending []T, percent int) T {
	return ascending[(len(ascending)*percent+99)/100-1]
}

// Failed returns how many requests failed, with any fault.
func (s LaneSummary) Failed() int {
	n := 0
	for _, count := range s.Failures {
		n += count
	}
	return n
}

// UnknownAt counts the requests with an unknown outcome that were due at such moments.
func (s LaneSummary) UnknownAt(at func(time.Duration) bool) (n int) {
	for _, due := range s.InFlight {
		if at(due) {
			n++
		}
	}
	return n
}

// LongestOutage returns the length of the longest outage; 0 without one.
func (s LaneSummary) LongestOutage() time.Duration {
	var longest time.Duration
	for _, o := range s.Outages {
		longest = max(longest, o.Length())
	}
	return longest
}
