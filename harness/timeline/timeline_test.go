package timeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestProblems(t *testing.T) {
	good := marks(0, 10, 20, 40)
	edit := func(change func([]evidence.Hit)) []evidence.Hit {
		hits := paced("a", "112")
		change(hits)
		return hits
	}
	for _, row := range []struct {
		sentence string
		hits     []evidence.Hit
		events   []evidence.Event
		want     []string
	}{
		{"a whole recording has no problem", paced("a", "112"), good, nil},
		{"a sequence number twice", edit(func(h []evidence.Hit) { h[2].Seq = 1 }), good,
			[]string{`hits.parquet: lane "a": seq 1 repeats a sequence number (1 in all)`}},
		{"a hit missing from the middle", slices.Delete(paced("a", "112"), 1, 2), good,
			[]string{`hits.parquet: lane "a": seq 1 is missing (1 in all)`}},
		{"the first hit missing", paced("a", "112")[1:], good,
			[]string{`hits.parquet: lane "a": seq 0 is missing (1 in all)`}},
		{"a hit of a lane nobody announced", append(paced("a", "1"), paced("b", "11")...), good,
			[]string{`hits.parquet: 2 records belong to lane "b", which the run does not have`}},
		{"a reply before its request", edit(func(h []evidence.Hit) { h[0].Took = -1 }), good,
			[]string{`hits.parquet: lane "a": seq 0 has a time before the run began (1 in all)`}},
		{"a fault that is not in the set", edit(func(h []evidence.Hit) { h[0].Fault = "bored" }), good,
			[]string{`hits.parquet: lane "a": seq 0 has an unknown fault (1 in all)`}},
		{"a good reply by nobody", edit(func(h []evidence.Hit) { h[0].By.Version = "" }), good,
			[]string{`hits.parquet: lane "a": seq 0 is a good reply that names no version (1 in all)`}},
		{"an event before the run", paced("a", "1"), append(marks(0, 10, 20, 40), pod(-1, evidence.PodReady, "v1", "p")),
			[]string{"events.jsonl: line 5: pod-ready is 1ms before the run began"}},
		{"a mark twice", paced("a", "1"), append(marks(0, 10, 20, 40), marks(0, 15, 20, 40)[1]),
			[]string{"events.jsonl: line 5: mark rollout-begun was set before"}},
		{"marks in the wrong order", paced("a", "1"), marks(0, 30, 20, 40),
			[]string{"events.jsonl: mark old-gone (20ms) comes before rollout-begun (30ms)"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(row.hits, row.events, fresh("a", "n1")))
			if diff := cmp.Diff(row.want, textsOf(tl.Problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJoinLaneIDs(t *testing.T) {
	for _, lanes := range [][]evidence.Lane{{fresh("a", "n1"), fresh("a", "n2")}, {fresh("", "n1")}} {
		_, err := timeline.Join(recording(nil, nil, lanes...).evidence())
		if err == nil || !strings.HasPrefix(err.Error(), "timeline: join drained: lane id ") {
			t.Errorf("lanes %v: error %v", lanes, err)
		}
	}
}

func TestPhase(t *testing.T) {
	whole := join(t, recording(nil, marks(5, 10, 20, 40), fresh("a", "n1")))
	for _, row := range []struct {
		at   int
		want timeline.Phase
	}{
		{4, timeline.Outside},
		{5, timeline.Before},
		{9, timeline.Before},
		{10, timeline.During},
		{19, timeline.During},
		{20, timeline.After},
		{39, timeline.After},
		{40, timeline.Outside},
	} {
		if got := whole.Phase(time.Duration(row.at) * ms); got != row.want {
			t.Errorf("%d ms is %s, want %s", row.at, got, row.want)
		}
	}
	for i, missing := range (timeline.Timeline{}).PhaseMarks() {
		tl := join(t, recording(nil, slices.Delete(marks(5, 10, 20, 40), i, i+1), fresh("a", "n1")))
		if _, ok := tl.Mark(missing); ok {
			t.Errorf("mark %s is there though it was never set", missing)
		}
		if got := tl.Phase(15 * ms); got != timeline.Outside {
			t.Errorf("without %s, 15 ms is %s, want outside", missing, got)
		}
	}
	if _, ok := join(t, recording(nil, []evidence.Event{pod(1, evidence.PodReady, "v1", "p")})).Mark(evidence.PodReady); ok {
		t.Error("pod-ready is taken for a mark of the scenario")
	}
}

func TestServiceLanes(t *testing.T) {
	control := evidence.Lane{ID: "control", Vantage: evidence.FromControl}
	host := evidence.Lane{ID: "host-fresh", Vantage: evidence.FromHost}
	tl := join(t, recording(nil, nil, control, host, fresh("a", "n1")))
	var got []string
	for _, lane := range tl.ServiceLanes() {
		got = append(got, lane.ID)
	}
	if diff := cmp.Diff([]string{"host-fresh", "a"}, got); diff != "" {
		t.Error(diff)
	}
	if len(tl.Lanes) != 3 {
		t.Errorf("the timeline lost lanes: %d left of 3", len(tl.Lanes))
	}
}
