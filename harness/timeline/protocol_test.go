package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// Of a protocol that this build does not know, nothing is taken for granted that holds for HTTP.
const streamed evidence.Protocol = "streamed"

// A datagram needs no connection, so that its client's node notes none.
func TestDatagramsAreNotRoutedNowhere(t *testing.T) {
	for _, row := range []struct {
		sentence string
		protocol evidence.Protocol
		want     timeline.Routing
	}{
		{"a connection without an event was routed nowhere", evidence.HTTP, timeline.RoutedNowhere},
		{"a datagram without one may have been routed", "datagrams", timeline.RoutingUnknown},
	} {
		checkRoutings(t, []flowRow{{row.sentence, "x", nil, func(s *streams) { s.Run.Lanes[0].Protocol = row.protocol },
			map[timeline.Routing]timeline.Routings{timeline.RoutedNowhere: {Nowhere: 1}}[row.want]}})
	}
}

// A stream is as long as its app likes: that it took a second longer than others is not that it came late.
func TestStreamsAreNotSlow(t *testing.T) {
	for _, row := range []struct {
		sentence string
		protocol evidence.Protocol
		want     int
	}{
		{"a reply is", evidence.HTTP, 3},
		{"a stream is not", streamed, 0},
	} {
		lane := fresh("a", "n1")
		lane.Protocol = row.protocol
		hits := paced("a", "11111111")
		for i := 3; i < 6; i++ {
			hits[i].Took = 5 * time.Second
		}
		tl := join(t, recording(hits, marks(0, 25, 30, 90), lane))
		if got := len(tl.Lanes[0].Slow); got != row.want {
			t.Errorf("%s: %d slow, want %d", row.sentence, got, row.want)
		}
	}
}

// The client of a request that was returned got no good reply, and lost nothing.
func TestReturnedRequestsAreNotLost(t *testing.T) {
	hits := paced("a", "1x11")
	hits[1].Fault = evidence.Returned
	for _, arrived := range []bool{false, true} {
		r := recording(hits, marks(0, 10, 20, 50), fresh("a", "n1"))
		r.Arrivals = logged(r.Hits)
		if !arrived {
			r.Arrivals = without(1)(r.Arrivals)
		}
		tl := join(t, r)
		s := tl.Lanes[0].Summary
		if s.Returned != 1 || s.Failed() != 0 || len(tl.Lanes[0].Failed) != 0 || s.LostReplies != 0 || s.ByVersion["v1"] != 3 || s.Requests != 4 {
			t.Errorf("arrived %t: %+v", arrived, s)
		}
		if len(tl.Problems) > 0 {
			t.Errorf("arrived %t: problems %q", arrived, textsOf(tl.Problems))
		}
	}
	if h := (timeline.Hit{Hit: hits[1], Arrivals: []evidence.Arrival{{}}}); h.Lost() || h.Failed() || h.Good() {
		t.Error("it is lost, failed or good")
	}
}

// Tokens of streams are counted, whether these became whole or not; a lane gets an answer with the first token of a stream.
func TestTokensOfStreams(t *testing.T) {
	lane := fresh("a", "n1")
	lane.Protocol = evidence.SSE
	hits := paced("a", "11x1x")
	for i, of := range []evidence.Hit{
		{FirstMicros: 1000, GapMicros: 100_000, Tokens: 3, Marked: true},
		{FirstMicros: 2000, Tokens: 1},
		{FirstMicros: 3000, GapMicros: 200_000, Tokens: 2, Fault: evidence.Truncated},
		{FirstMicros: 1000, GapMicros: 50_000, Tokens: 1, Marked: true},
		{Fault: evidence.Refused},
	} {
		h := &hits[i]
		h.FirstMicros, h.GapMicros, h.Tokens, h.Marked, h.Fault = of.FirstMicros, of.GapMicros, of.Tokens, of.Marked, of.Fault
		h.Took = time.Duration(5-i) * time.Second
	}
	s := join(t, recording(hits, marks(0, 25, 30, 9000), lane)).Lanes[0].Summary
	if s.StreamsAtChange != 2 { // those sent at 10 and 20 ms
		t.Errorf("%d streams were open when the rollout began, want 2", s.StreamsAtChange)
	}
	if diff := cmp.Diff(timeline.Spread{Count: 4, P50: ms, P99: 3 * ms, P999: 3 * ms, Max: 3 * ms}, s.FirstToken); diff != "" {
		t.Errorf("first tokens (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(timeline.Spread{Count: 3, P50: 100 * ms, P99: 200 * ms, P999: 200 * ms, Max: 200 * ms}, s.TokenGap); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	if n, known := s.Failures[evidence.Truncated]; n != 1 || !known {
		t.Errorf("failures %v", s.Failures)
	}
	if got, longest := s.Gap.Length(), 50*ms; got > longest {
		t.Errorf("the longest gap is %v, want at most %v", got, longest)
	}
}
