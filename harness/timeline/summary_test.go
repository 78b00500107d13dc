package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestLaneSummaryCountsEveryHitOnce(t *testing.T) {
	const micros = time.Microsecond
	hits := paced("a", "11xx2")
	hits[2].Fault = evidence.Timeout
	hits[4].Attempts = 2
	hits[4].Sent += 3 * ms
	hits[0].Took, hits[1].Took, hits[4].Took = micros, 2*micros, 3*ms
	got := join(t, recording(hits, marks(0, 20, 40, 60), fresh("a", "n1"))).Lanes[0].Summary
	want := timeline.LaneSummary{
		Requests: 5,
		Failures: map[evidence.Fault]int{"refused": 1, "reset": 0, "closed": 0, "timeout": 1, "unreachable": 0, "bad_status": 0,
			"wrong_server": 0},
		ByVersion: map[string]int{"v1": 2, "v2": 1},
		Retried:   1, SinceBegun: 4, GoodSinceBegun: 2, SinceChange: 4,
		FirstSent: 10 * ms, LastSent: 53 * ms, LastEnd: 56 * ms,
		Rate:               4 / 0.043,
		Lag:                timeline.Spread{Count: 5, P99: 3 * ms, P999: 3 * ms, Max: 3 * ms},
		Latency:            timeline.Spread{Count: 3, P50: 2 * micros, P99: 3 * ms, P999: 3 * ms, Max: 3 * ms},
		LatencySinceChange: timeline.Spread{Count: 2, P50: 2 * micros, P99: 3 * ms, P999: 3 * ms, Max: 3 * ms},
		LatencyIn: map[timeline.Phase]timeline.Spread{
			timeline.Before: {Count: 1, P50: micros, P99: micros, P999: micros, Max: micros},
			timeline.During: {Count: 1, P50: 2 * micros, P99: 2 * micros, P999: 2 * micros, Max: 2 * micros},
			timeline.After:  {Count: 1, P50: 3 * ms, P99: 3 * ms, P999: 3 * ms, Max: 3 * ms},
		},
		Outages: []timeline.Outage{{From: 30 * ms, To: 53 * ms, Failed: 2}},
		Gap:     timeline.Gap{From: 20*ms + 2*micros, To: 56 * ms, Period: 10 * ms},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(timeline.LaneSummary{})); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if got.Failed() != 2 || got.LongestOutage() != 23*ms {
		t.Errorf("failed %d, longest outage %s; want 2, 23ms", got.Failed(), got.LongestOutage())
	}
}

func TestAchievedRate(t *testing.T) {
	late := func(by func(i int) time.Duration) []evidence.Hit {
		hits := paced("a", "11111111111")
		for i := range hits {
			hits[i].Sent += by(i)
		}
		return hits
	}
	for _, row := range []struct {
		sentence string
		hits     []evidence.Hit
		want     float64
	}{
		{"a constant pacer achieves exactly what was asked", late(func(int) time.Duration { return 0 }), 100},
		{"a constant lag changes nothing", late(func(int) time.Duration { return 5 * ms }), 100},
		{"a generator that falls ever further behind achieves less", late(func(i int) time.Duration { return time.Duration(i) * 10 * ms }), 50},
		{"a burst after a late start is not a higher rate", late(func(i int) time.Duration { return max(0, time.Duration(5-i)*10*ms) }),
			100},
		{"two hits are one interval", paced("a", "11"), 100},
		{"one hit has no rate", paced("a", "1"), 0},
		{"no hit has no rate", nil, 0},
		{"hits all at one moment have no rate", []evidence.Hit{{Lane: "a"}, {Lane: "a", Seq: 1}}, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got := join(t, recording(row.hits, nil, fresh("a", "n1"))).Lanes[0].Summary.Rate
			if got != row.want {
				t.Errorf("achieved %v per second, want %v", got, row.want)
			}
		})
	}
}

func TestSpreadOf(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	sixty := hundred[40:]
	for _, row := range []struct {
		sentence string
		of       []time.Duration
		want     timeline.Spread
	}{
		{"of nothing, nothing", nil, timeline.Spread{}},
		{"of one, that one", []time.Duration{7}, timeline.Spread{Count: 1, P50: 7, P99: 7, P999: 7, Max: 7}},
		{"of two, the lower is the median", []time.Duration{9, 1}, timeline.Spread{Count: 2, P50: 1, P99: 9, P999: 9, Max: 9}},
		{"of 1 to 100 in any order, 50, 99 and 100", hundred, timeline.Spread{Count: 100, P50: 50, P99: 99, P999: 100, Max: 100}},
		{"of 1 to 60, 99 % are not below 60", sixty, timeline.Spread{Count: 60, P50: 30, P99: 60, P999: 60, Max: 60}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if diff := cmp.Diff(row.want, timeline.SpreadOf(row.of)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOutages(t *testing.T) {
	for _, row := range []struct {
		sentence string
		outcomes string
		want     []timeline.Outage
	}{
		{"no failure is not an outage", "1111", nil},
		{"no hit is not an outage", "", nil},
		{"one failure lasts until the next send", "1x1", []timeline.Outage{{From: 20 * ms, To: 30 * ms, Failed: 1}}},
		{"failures in a row are one outage", "xxx1", []timeline.Outage{{From: 10 * ms, To: 40 * ms, Failed: 3}}},
		{"a good hit parts two outages", "x1x1",
			[]timeline.Outage{{From: 10 * ms, To: 20 * ms, Failed: 1}, {From: 30 * ms, To: 40 * ms, Failed: 1}}},
		{"an outage without an end lasts until the load ended", "11x", []timeline.Outage{{From: 30 * ms, To: 100 * ms, Failed: 1, Open: true}}},
		{"a lane that never got a reply is one outage", "xx", []timeline.Outage{{From: 10 * ms, To: 100 * ms, Failed: 2, Open: true}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got := join(t, recording(paced("a", row.outcomes), marks(0, 10, 20, 100), fresh("a", "n1"))).Lanes[0].Summary.Outages
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("outages (-want +got):\n%s", diff)
			}
		})
	}
}

// A spread is the same as by sorting the whole set.
func TestSpreadIsOfTheSortedSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()).Draw(t, "ns"))
		}), 1, 500).Draw(t, "durations")
		got := timeline.SpreadOf(ds)
		slices.Sort(ds)
		want := timeline.Spread{Count: len(ds), P50: timeline.Percentile(ds, 50), P99: timeline.Percentile(ds, 99),
			P999: ds[(len(ds)*999+999)/1000-1], Max: timeline.Percentile(ds, 100)}
		if got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
