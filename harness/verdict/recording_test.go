package verdict_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

const ms = time.Millisecond

// A recording is evidence that a test may change.
type recording struct {
	Run      evidence.Run
	Hits     []evidence.Hit
	Arrivals []evidence.Arrival // nil: not recorded
	Events   []evidence.Event
	Damage   []evidence.Damage

	Connections []evidence.Connection // nil: an earlier build recorded it
}

func (r recording) evidence() evidence.Evidence {
	ev := evidence.Evidence{Run: r.Run, Hits: evidence.Hits(r.Hits), Events: r.Events, Damage: r.Damage}
	if r.Arrivals != nil {
		ev.Arrivals = evidence.Arrivals(r.Arrivals)
	}
	if r.Connections != nil {
		ev.Connections = evidence.Connections(r.Connections)
	}
	return ev
}

// rollout records a flawless rollout: 200 hits on each of two lanes in pods and a control lane,
// 100 per second from 10 ms on. v1 answers until 1 s, then v2; the load lasts 2 s.
//
//	load-begun 0   rollout-begun 500 ms   status-done 900 ms   old-gone 1.2 s   load-ended 2 s
func rollout(expect ...evidence.Expectation) recording {
	lanes := []evidence.Lane{
		{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: 100},
		{ID: "worker-reused", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Reused, Rate: 100},
		{ID: "control", Vantage: evidence.FromControl, Node: "worker", Conn: evidence.Fresh, Rate: 100},
	}
	ev := recording{
		Run: evidence.Run{Scenario: "drained", OldVersion: "v1", NewVersion: "v2", Lanes: lanes, Expect: expect},
		Events: []evidence.Event{
			pod(0, evidence.PodReady, "v1", "a"), pod(0, evidence.PodReady, "v1", "b"),
			mark(0, evidence.LoadBegun), mark(500, evidence.RolloutBegun), mark(900, evidence.StatusDone),
			pod(600, evidence.PodReady, "v2", "c"), pod(700, evidence.PodDeleting, "v1", "a"), pod(800, evidence.PodGone, "v1", "a"),
			pod(810, evidence.PodReady, "v2", "d"), pod(850, evidence.PodDeleting, "v1", "b"), pod(1200, evidence.PodGone, "v1", "b"),
			mark(1200, evidence.OldGone), mark(2000, evidence.LoadEnded),
		},
	}
	for _, lane := range lanes {
		for i := range 200 {
			due := time.Duration(i+1) * 10 * ms
			by := evidence.Server{Version: "v1", Pod: "b"}
			if due >= 1000*ms {
				by = evidence.Server{Version: "v2", Pod: "d"}
			}
			if lane.Vantage == evidence.FromControl {
				by = evidence.Server{Version: "v1", Pod: "control"}
			}
			ev.Hits = append(ev.Hits, evidence.Hit{Lane: lane.ID, Seq: uint64(i), Due: due, Sent: due, Took: ms, Status: 200, By: by, Attempts: 1})
		}
	}
	return ev
}

func mark(at int, kind evidence.EventKind) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind}
}

func pod(at int, kind evidence.EventKind, version, name string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, By: evidence.Server{Version: version, Pod: name}}
}

// An edit spoils a recording in one way.
type edit func(*recording)

// breaking makes hits of a lane fail.
func breaking(lane string, fault evidence.Fault, seqs ...uint64) edit {
	return on(lane, func(h *evidence.Hit) { h.Fault, h.Status, h.By = fault, 0, evidence.Server{} }, seqs...)
}

// answering lets another version answer hits of a lane.
func answering(lane, version string, seqs ...uint64) edit {
	return on(lane, func(h *evidence.Hit) { h.By.Version = version }, seqs...)
}

// on changes the hits of a lane with these seqs, or all of them.
func on(lane string, change func(*evidence.Hit), seqs ...uint64) edit {
	return func(ev *recording) {
		for i := range ev.Hits {
			h := &ev.Hits[i]
			if h.Lane != lane {
				continue
			}
			for _, seq := range seqs {
				if h.Seq == seq {
					change(h)
				}
			}
			if len(seqs) == 0 {
				change(h)
			}
		}
	}
}

// keeping keeps only some hits and events.
func keeping(hit func(evidence.Hit) bool, event func(evidence.Event) bool) edit {
	return func(ev *recording) {
		hits, events := ev.Hits, ev.Events
		ev.Hits, ev.Events = nil, nil
		for _, h := range hits {
			if hit == nil || hit(h) {
				ev.Hits = append(ev.Hits, h)
			}
		}
		for _, e := range events {
			if event == nil || event(e) {
				ev.Events = append(ev.Events, e)
			}
		}
	}
}

func without(kind evidence.EventKind) edit {
	return keeping(nil, func(e evidence.Event) bool { return e.Kind != kind })
}

func with(e evidence.Event) edit {
	return func(ev *recording) { ev.Events = append(ev.Events, e) }
}

func all(edits ...edit) edit {
	return func(ev *recording) {
		for _, e := range edits {
			e(ev)
		}
	}
}

// logged lets pods log what the service lanes sent: each hit as often as times says; nil: once.
func logged(times func(evidence.Hit) int) edit {
	return func(ev *recording) {
		ev.Arrivals = []evidence.Arrival{}
		for _, h := range ev.Hits {
			n := 1
			if times != nil && h.Lane != "control" {
				n = times(h)
			}
			by := h.By
			if by.Pod == "" {
				by = evidence.Server{Version: "v2", Pod: "d"}
			}
			for range n {
				ev.Arrivals = append(ev.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent, By: by})
			}
		}
	}
}

// skewed sets the clock of the node that all lanes in pods run on.
func skewed(offset, uncertainty time.Duration) edit {
	return func(ev *recording) {
		ev.Run.Clocks = []evidence.ClockReading{{Node: "worker", Offset: offset, Uncertainty: uncertainty}}
	}
}

func judge(t *testing.T, ev recording) verdict.Verdict {
	t.Helper()
	tl, err := timeline.Join(ev.evidence())
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(ev.Run, tl)
}

func from(first, last uint64) []uint64 {
	var seqs []uint64
	for seq := first; seq <= last; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}
