package timeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// keptLane keeps connections.
func keptLane() evidence.Lane {
	lane := flowLane()
	lane.ID, lane.Conn = "worker-reused", evidence.Reused
	return lane
}

// A row is a connection from a port that has sent and answered some requests, and was closed by its client.
func row(number uint32, port, sent, answered int) evidence.Connection {
	return evidence.Connection{Lane: "worker-reused", Number: number, Port: port, Opened: 10 * ms, Sent: sent, Answered: answered,
		Ended: 80 * ms, End: evidence.EndOwn}
}

// over has each hit sent over the connection with a number, one per digit, from port 7000. Only the first request of each opens it.
func over(hits []evidence.Hit, numbers string) []evidence.Hit {
	known := map[rune]bool{}
	for i, digit := range numbers {
		hits[i].Connection, hits[i].Reused, hits[i].LocalPort = uint32(digit-'0'), known[digit], 7000
		known[digit] = true
	}
	return hits
}

// Two connections in turn have the same port.
func TestConnectionsAreToldApartByNumber(t *testing.T) {
	by := func(version string) evidence.Server { return evidence.Server{Version: version, Pod: "pod-" + version} }
	first, second, unused := row(1, 7000, 3, 3), row(2, 7000, 3, 2), row(3, 7001, 0, 0)
	first.By, first.Told, first.ToldBy = by("v1"), 31*ms, evidence.CloseHeader
	second.By, second.End, second.InFlight, second.Ended = by("v2"), evidence.EndReset, 1, 62*ms
	s := recording(over(paced("worker-reused", "11122x"), "111222"), marks(0, 10, 60, 100), keptLane())
	s.Hits[5].Fault = evidence.Reset
	s.Connections = []evidence.Connection{unused, second, first}
	s.Run.Clocks = []evidence.ClockReading{{Node: "worker", Offset: 5 * ms}}
	tl := join(t, s)
	lane := tl.Lanes[0]
	var got []string
	for _, c := range lane.Connections {
		got = append(got, fmt.Sprintf("%d: %s opened %v, asked %v to %v, replied %v, moved %t, told %v %s, ended %v %s, cut %t", c.Number,
			c.By.Pod, c.Opened, c.First, c.Last, c.Replied, c.Moved, c.Told, c.ToldBy, c.Ended, c.End, c.Cut()))
	}
	want := []string{
		"1: pod-v1 opened 5ms, asked 5ms to 25ms, replied 7ms, moved false, told 26ms connection-close, ended 75ms own, cut true",
		"2: pod-v2 opened 5ms, asked 35ms to 45ms, replied 37ms, moved false, told 0s , ended 57ms rst, cut true",
		"3:  opened 5ms, asked 0s to 0s, replied 0s, moved false, told 0s , ended 75ms own, cut false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	if h := lane.Failed[0]; h.Kept != by("v2") || h.Idle != 8*ms {
		t.Errorf("the lost request was sent to %+v after %v", h.Kept, h.Idle)
	}
	if tl.Problems != nil {
		t.Errorf("problems %q", textsOf(tl.Problems))
	}
}

// A connection is idle only while no request is under way on it, from the last byte on.
func TestHowLongAConnectionWasIdle(t *testing.T) {
	for _, r := range []struct {
		sentence string
		took     []time.Duration // of requests each 10 ms; the last one is lost
		want     time.Duration
	}{
		{"the reply before ended long ago", []time.Duration{2 * ms, ms, ms}, 9 * ms},
		{"a reply still streams", []time.Duration{50 * ms, ms, ms}, 0},
		{"the reply before ended late", []time.Duration{14 * ms, 2 * ms, ms}, 6 * ms},
	} {
		hits := over(paced("worker-reused", "11x"), "111")
		for i, took := range r.took {
			hits[i].Took = took
		}
		s := recording(hits, marks(0, 10, 20, 40), keptLane())
		s.Connections = []evidence.Connection{row(1, 7000, 3, 2)}
		if got := join(t, s).Lanes[0].Failed[0].Idle; got != r.want {
			t.Errorf("%s: idle for %v, want %v", r.sentence, got, r.want)
		}
	}
}

func TestConnectionsThatContradictHits(t *testing.T) {
	for _, r := range []struct {
		sentence string
		change   func(*streams)
		want     []string // problems begin so
	}{
		{"they agree", func(*streams) {}, nil},
		{"a hit has no row", func(s *streams) { s.Connections = s.Connections[:1]; s.Connections[0].Sent-- },
			[]string{`connections.parquet: lane "worker-reused": seq 2 was sent over a connection that has no row (2 in all)`,
				`connections.parquet: lane "worker-reused": connection 1 has other numbers of requests and replies than hits say (1 in all)`}},
		{"a row counts a reply too many", func(s *streams) { s.Connections[1].Answered++ },
			[]string{`connections.parquet: lane "worker-reused": connection 2 has other numbers of requests and replies than hits say (1 in all)`}},
		{"a row names another pod", func(s *streams) { s.Connections[0].By.Pod = "pod-v9" },
			[]string{`connections.parquet: lane "worker-reused": seq 0 was the first to be answered on its connection, by another pod`}},
		{"a row is of a lane that is none", func(s *streams) {
			s.Connections = append(s.Connections, evidence.Connection{Lane: "stray", Number: 1})
		}, []string{`connections.parquet: 1 records belong to lane "stray", which the run does not have`}},
		{"an agent that was killed has not counted", func(s *streams) {
			s.Connections[0].Sent, s.Connections[0].Answered, s.Connections[0].End = 0, 0, evidence.EndAgent
		}, nil},
		{"the end of a recording was cut off", func(s *streams) {
			s.Connections[0].Sent, s.Connections[0].Answered, s.Connections[0].End, s.Connections[0].Ended = 0, 0, "", 0
		}, nil},
		{"a client that resends sent more", func(s *streams) { s.Run.Lanes[0].Resends = true; s.Connections[0].Sent++ }, nil},
	} {
		s := recording(over(paced("worker-reused", "112x"), "1122"), marks(0, 10, 20, 100), keptLane())
		s.Connections = []evidence.Connection{row(1, 7000, 2, 2), row(2, 7000, 2, 1)}
		r.change(&s)
		got := textsOf(join(t, s).Problems)
		if !slices.EqualFunc(got, r.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", r.sentence, got, r.want)
		}
	}
}

func TestConnectionsThatCannotBeRead(t *testing.T) {
	ev := recording(over(paced("worker-reused", "11"), "11"), marks(0, 10, 20, 40), keptLane()).evidence()
	ev.Connections = func(yield func(evidence.Connection, error) bool) {
		if yield(row(1, 7000, 2, 2), nil) {
			yield(evidence.Connection{}, errors.New("connections.parquet: row 1: gone"))
		}
	}
	tl, err := timeline.Join(ev)
	if err != nil || len(tl.Problems) != 1 || !tl.Problems[0].Damage || tl.Problems[0].Text != "connections.parquet: row 1: gone" {
		t.Errorf("problems %+v, error %v", tl.Problems, err)
	}
}

// Its port is given to another connection soon after it has ended: what that was routed to says nothing of it.
func TestAConnectionIsRoutedWhenItIsOpened(t *testing.T) {
	s := recording(over(paced("worker-reused", "1111"), "1111"), []evidence.Event{{At: 5 * ms, Kind: evidence.FlowsBegun, Object: "worker"},
		{At: time.Second, Kind: evidence.NodeBusy, Object: "worker"}}, keptLane())
	for i := range s.Hits {
		s.Hits[i].By = flowServer()
	}
	s.Connections = []evidence.Connection{row(1, 7000, 4, 4)}
	ev := s.evidence()
	other := routedFlow(1030, 7000) // when an event of the first may no longer come
	other.Seq, other.By.Pod, other.Address = 1, "web-abc-2", "10.244.2.8:8080"
	ev.Flows = evidence.Flows([]evidence.Flow{routedFlow(10, 7000), other})
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	lane := tl.Lanes[0]
	if want := (timeline.Routings{Pod: 4}); lane.Summary.Routings != want {
		t.Errorf("%+v, want %+v", lane.Summary.Routings, want)
	}
	if c := lane.Connections[0]; c.Routed.Routing != timeline.RoutedToPod || c.Routed.Server != flowServer() {
		t.Errorf("routed to %+v", c.Routed)
	}
}

// A client may open a connection long before it needs it: the first request over it was not routed, and not to nowhere either.
func TestAConnectionIsRoutedWhenItIsOpenedAhead(t *testing.T) {
	for _, r := range []struct {
		sentence string
		heard    int // from when on the node's flows are
		want     timeline.Routings
	}{
		{"the node reported it", 5, timeline.Routings{Pod: 2}},
		{"nobody listened by then", 500, timeline.Routings{Unknown: 2}},
	} {
		s := recording(over(paced("worker-reused", "x1"), "11"),
			[]evidence.Event{{At: time.Duration(r.heard) * ms, Kind: evidence.FlowsBegun, Object: "worker"}}, keptLane())
		for i := range s.Hits {
			s.Hits[i].Due, s.Hits[i].Sent = s.Hits[i].Due+3*time.Second, s.Hits[i].Sent+3*time.Second
		}
		s.Hits[0].Fault, s.Hits[1].By = evidence.Timeout, flowServer()
		opened := row(1, 7000, 2, 1)
		opened.Ended = 4 * time.Second
		s.Connections = []evidence.Connection{opened}
		ev := s.evidence()
		shows := routedFlow(3500, 999) // that the node reports the lane's connections
		shows.Seq = 1
		ev.Flows = evidence.Flows([]evidence.Flow{routedFlow(10, 7000), shows})
		tl, err := timeline.Join(ev)
		if err != nil {
			t.Fatal(err)
		}
		if got := tl.Lanes[0].Summary.Routings; got != r.want {
			t.Errorf("%s: %+v, want %+v", r.sentence, got, r.want)
		}
	}
}

// A cut counts since the rollout began, and a lane is back with the first reply in the same place.
func TestConnectionsInSum(t *testing.T) {
	by := func(version string) evidence.Server { return evidence.Server{Version: version, Pod: "pod-" + version} }
	first, second, early, last := row(1, 7000, 3, 3), row(2, 7000, 3, 3), row(3, 7001, 0, 0), row(4, 7002, 0, 0)
	first.By, first.Told, first.ToldBy, first.Ended = by("v1"), 31*ms, evidence.GoAway, 32*ms
	second.By = by("v2")
	early.Slot, early.End, early.Ended = 1, evidence.EndFin, 5*ms
	last.Slot, last.End, last.Ended = 1, evidence.EndReset, 40*ms
	s := recording(over(paced("worker-reused", "111222"), "111222"), marks(0, 10, 60, 100), keptLane())
	s.Connections = []evidence.Connection{first, second, early, last}
	tl := join(t, s)
	back := timeline.Spread{Count: 1, P50: 10 * ms, P99: 10 * ms, P999: 10 * ms, Max: 10 * ms}
	want := timeline.Keeping{Opened: 4, Cut: 2, Told: 1, Back: back}
	if diff := cmp.Diff(want, tl.Keeping(tl.Lanes[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// That pods told no client to go is a sign only where they could have, and told none.
func TestPodsThatTellNoClient(t *testing.T) {
	for _, r := range []struct {
		sentence string
		protocol evidence.Protocol
		told     evidence.Notice
		end      evidence.End
		want     int
	}{
		{"none was told", evidence.SSE, "", evidence.EndReset, 1},
		{"one was told", evidence.SSE, evidence.GoAway, evidence.EndFin, 0},
		{"a server of HTTP/1.1 cannot tell ahead", evidence.HTTP, "", evidence.EndReset, 0},
		{"none was cut", evidence.SSE, "", evidence.EndOwn, 0},
	} {
		cut := row(1, 7000, 3, 3)
		cut.By, cut.ToldBy, cut.End = evidence.Server{Version: "v1", Pod: "pod-v1"}, r.told, r.end
		lane := keptLane()
		lane.Protocol = r.protocol
		s := recording(over(paced("worker-reused", "111"), "111"), marks(0, 10, 60, 100), lane)
		s.Run.UserApp = &evidence.UserApp{Watched: true}
		s.Events = append(s.Events, evidence.Event{At: 20 * ms, Kind: evidence.PodDeleting, By: evidence.Server{Version: "v1", Pod: "pod-v1"}})
		s.Connections = []evidence.Connection{cut}
		if got := join(t, s).Signs()[timeline.NeverTold]; got.Count != r.want {
			t.Errorf("%s: %+v, want %d", r.sentence, got, r.want)
		}
	}
}
