package timeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// logged returns what pods log of hits that all arrive once, one millisecond after they are sent.
func logged(hits []evidence.Hit) []evidence.Arrival {
	arrivals := []evidence.Arrival{}
	for _, h := range hits {
		by := h.By
		if by.Pod == "" {
			by = evidence.Server{Version: "v1", Pod: "pod-v1"}
		}
		arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + ms, By: by})
	}
	return arrivals
}

func TestJoinArrivals(t *testing.T) {
	type counts struct{ Requests, Arrivals, Lost, Retried, Never int }
	for _, row := range []struct {
		sentence string
		outcomes string
		arrive   func([]evidence.Arrival) []evidence.Arrival
		want     counts
		problems []string
	}{
		{"every request arrived and was answered", "112", whole, counts{Requests: 3, Arrivals: 3}, nil},
		{"served, but the reply was lost", "1x2", whole, counts{Requests: 3, Arrivals: 3, Lost: 1}, nil},
		{"failed without ever arriving", "1x2", without(1), counts{Requests: 3, Arrivals: 2, Never: 1}, nil},
		{"sent twice behind the client's back", "112", twice(1), counts{Requests: 3, Arrivals: 4, Retried: 1}, nil},
		{"sent twice, and both replies lost", "1x2", twice(1), counts{Requests: 3, Arrivals: 4, Lost: 1, Retried: 1}, nil},
		{"a reply to a request no pod logged: a log is not whole", "112", without(1), counts{Requests: 3, Arrivals: 2},
			[]string{`arrivals.parquet: lane "a": seq 1 was answered, but logged by no pod (1 in all)`}},
		{"an arrival without a hit: the lane is not whole", "11", func(a []evidence.Arrival) []evidence.Arrival {
			return append(a, evidence.Arrival{Lane: "a", Seq: 7, By: evidence.Server{Pod: "pod-v1"}})
		}, counts{Requests: 2, Arrivals: 3}, []string{`arrivals.parquet: lane "a": seq 7 was logged by a pod, but has no hit (1 in all)`}},
		{"a reply by another pod than the one that logged it", "112", func(a []evidence.Arrival) []evidence.Arrival {
			a[0].By.Pod = "pod-other"
			return a
		}, counts{Requests: 3, Arrivals: 3},
			[]string{`arrivals.parquet: lane "a": seq 0 was logged by another pod than the one that answered (1 in all)`}},
		{"an arrival of a lane nobody announced", "11", func(a []evidence.Arrival) []evidence.Arrival {
			return append(a, evidence.Arrival{Lane: "b", Seq: 0})
		}, counts{Requests: 2, Arrivals: 2}, []string{`arrivals.parquet: 1 records belong to lane "b", which the run does not have`}},
		{"an arrival before the run began", "112", func(a []evidence.Arrival) []evidence.Arrival {
			a[2].At = -ms
			return a
		}, counts{Requests: 3, Arrivals: 3}, []string{`arrivals.parquet: lane "a": seq 2 arrived before the run began (1 in all)`}},
		{"arrivals that were not recorded say nothing", "1x2", func([]evidence.Arrival) []evidence.Arrival { return nil }, counts{Requests: 3},
			nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("a", row.outcomes), marks(0, 10, 20, 40), fresh("a", "n1"))
			r.Arrivals = row.arrive(logged(r.Hits))
			tl := join(t, r)
			s := tl.Lanes[0].Summary
			if diff := cmp.Diff(row.want, counts{s.Requests, s.Arrivals, s.LostReplies, s.Retried, s.NeverArrived}); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.problems, textsOf(tl.Problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// Of the requests to a pod whose log is lost, those that it answered arrived; the others may have arrived or not.
func TestArrivalsOfLostLogs(t *testing.T) {
	r := recording(paced("a", "1x12"), marks(0, 10, 20, 50), fresh("a", "n1"))
	r.Arrivals = logged(r.Hits)[3:]
	r.Events = append(r.Events, evidence.Event{At: 30 * ms, Kind: evidence.RecorderLost, By: evidence.Server{Pod: "pod-v1"}})
	tl := join(t, r)
	s := tl.Lanes[0].Summary
	if s.Requests != 4 || s.Arrivals != 3 || s.NeverArrived != 1 || s.ArrivedSinceBegun != 3 || tl.Problems != nil {
		t.Errorf("%d requests, %d arrived and %d never did, %d of %d since the begin; problems %q", s.Requests, s.Arrivals, s.NeverArrived,
			s.ArrivedSinceBegun, s.SinceBegun, textsOf(tl.Problems))
	}
}

func whole(a []evidence.Arrival) []evidence.Arrival { return a }

func without(i int) func([]evidence.Arrival) []evidence.Arrival {
	return func(a []evidence.Arrival) []evidence.Arrival { return append(a[:i:i], a[i+1:]...) }
}

func twice(i int) func([]evidence.Arrival) []evidence.Arrival {
	return func(a []evidence.Arrival) []evidence.Arrival {
		again := a[i]
		again.At += 5 * ms
		return append(a, again)
	}
}

func TestHitKept(t *testing.T) {
	reused := fresh("a", "n1")
	reused.Conn = evidence.Reused
	hits := paced("a", "1x12x")
	for i, port := range []uint16{7, 7, 8, 8, 9} {
		hits[i].LocalPort, hits[i].Reused = port, i == 1 || i == 3
	}
	hits[3].Fault, hits[3].By = evidence.Reset, evidence.Server{}
	var got []string
	for _, h := range join(t, recording(hits, marks(0, 10, 20, 40), reused)).Lanes[0].Failed {
		got = append(got, fmt.Sprint(h.Kept.Pod, " after ", h.Idle))
	}
	if diff := cmp.Diff([]string{"pod-v1 after 8ms", "pod-v1 after 8ms", " after 0s"}, got); diff != "" {
		t.Errorf("pods, and for how long connections were idle (-want +got):\n%s", diff)
	}
}

// A reply that broke off has a status, but counts as lost.
func TestHitLost(t *testing.T) {
	arrived := []evidence.Arrival{{}}
	for _, row := range []struct {
		sentence string
		hit      timeline.Hit
		want     bool
	}{
		{"no reply at all", timeline.Hit{Hit: evidence.Hit{Fault: evidence.Reset}, Arrivals: arrived}, true},
		{"a reply that broke off", timeline.Hit{Hit: evidence.Hit{Fault: evidence.Closed, Status: 200}, Arrivals: arrived}, true},
		{"a whole reply with a bad status", timeline.Hit{Hit: evidence.Hit{Fault: evidence.BadStatus, Status: 503}, Arrivals: arrived}, false},
		{"a whole reply by somebody else", timeline.Hit{Hit: evidence.Hit{Fault: evidence.WrongServer, Status: 200}, Arrivals: arrived}, false},
		{"a good reply", timeline.Hit{Hit: evidence.Hit{Status: 200}, Arrivals: arrived}, false},
		{"a request that never arrived", timeline.Hit{Hit: evidence.Hit{Fault: evidence.Reset}}, false},
	} {
		if got := row.hit.Lost(); got != row.want {
			t.Errorf("%s: lost %t", row.sentence, got)
		}
	}
}

func TestJoinArrivalsByTime(t *testing.T) {
	r := recording(paced("a", "x"), marks(0, 10, 20, 40), fresh("a", "n1"))
	r.Arrivals = []evidence.Arrival{
		{Lane: "a", At: 900 * ms, By: evidence.Server{Pod: "second", Node: "n1"}},
		{Lane: "a", At: 1110 * ms, By: evidence.Server{Pod: "first", Node: "ahead"}},
	}
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, 0), reading("ahead", time.Second, 0)}
	h := timeline.Failed(join(t, r).Lanes)[0]
	if h.Arrivals[0].By.Pod != "first" || h.Arrivals[0].At != 110*ms || h.Arrivals[1].At != 900*ms {
		t.Errorf("arrivals are %+v", h.Arrivals)
	}
}

func TestHitArrivals(t *testing.T) {
	r := recording(paced("a", "1x2"), marks(0, 10, 20, 40), fresh("a", "n1"))
	r.Arrivals = logged(r.Hits)
	failed := timeline.Failed(join(t, r).Lanes)
	want := []timeline.Hit{{Hit: r.Hits[1], Arrivals: []evidence.Arrival{r.Arrivals[1]}}}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
}
