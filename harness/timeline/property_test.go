package timeline_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// loadEnded is later than any hit drawn.
const loadEnded = 10_000

// drawHits draws one lane's hits: numbered without holes, sent in any order, good or failed.
func drawHits(t *rapid.T, lane string) []evidence.Hit {
	hits := paced(lane, rapid.StringOfN(rapid.SampledFrom([]rune("12x")), 0, 60, -1).Draw(t, lane))
	for i := range hits {
		hits[i].Sent += time.Duration(rapid.IntRange(0, 50).Draw(t, "lag")) * ms
	}
	return hits
}

// drawArrivals draws what pods logged of some hits: every reply's request, some of the others', and some twice.
func drawArrivals(t *rapid.T, hits []evidence.Hit) []evidence.Arrival {
	arrivals := []evidence.Arrival{}
	for _, h := range hits {
		times := rapid.SampledFrom([]int{1, 1, 1, 2, 0}).Draw(t, "times")
		if h.By.Pod != "" {
			times = max(times, 1)
		}
		for range times {
			by := h.By
			if by.Pod == "" {
				by = evidence.Server{Version: "v1", Pod: "pod-v1", Node: "n1"}
			}
			by.Node = rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node")
			arrivals = append(arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + 1, By: by})
		}
	}
	return arrivals
}

func drawRecording(t *rapid.T) streams {
	hits := append(drawHits(t, "a"), drawHits(t, "b")...)
	events := append(marks(0, 100, 300, loadEnded),
		pod(1, evidence.PodReady, "v1", "pod-v1"), pod(150, evidence.PodReady, "v2", "pod-v2"),
		pod(170, evidence.EndpointGone, "v1", "pod-v1"), pod(171, evidence.PodDeleting, "v1", "pod-v1"))
	r := recording(hits, events, fresh("a", "n1"), fresh("b", "n2"))
	r.Arrivals = drawArrivals(t, hits)
	return r
}

func mustJoin(t *rapid.T, r streams) timeline.Timeline {
	tl, err := timeline.Join(r.evidence())
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// same compares everything that a timeline returns.
func same(t *rapid.T, one, other timeline.Timeline) {
	t.Helper()
	for _, ask := range []func(timeline.Timeline) any{
		func(tl timeline.Timeline) any { return tl.Problems },
		func(tl timeline.Timeline) any { return []any{tl.Marks(), tl.Facts(), tl.Steps(), tl.Doubts()} },
		func(tl timeline.Timeline) any { return tl.Pods },
		func(tl timeline.Timeline) any { return timeline.Failed(tl.Lanes) },
		func(tl timeline.Timeline) any { return timeline.Repeated(tl.Lanes) },
		func(tl timeline.Timeline) any { return tl.DrainLags() },
		func(tl timeline.Timeline) any { return tl.Capacities(50*ms, time.Hour) },
		func(tl timeline.Timeline) any { return timeline.AllReplies(tl.ServiceLanes()) },
		func(tl timeline.Timeline) any { return tl.RepliesSince(evidence.RolloutBegun, tl.ServiceLanes()) },
		func(tl timeline.Timeline) any { w, ok := tl.MixedWindow(tl.ServiceLanes()); return []any{w, ok} },
		func(tl timeline.Timeline) any {
			var all []timeline.LaneSummary
			for _, lane := range tl.Lanes {
				all = append(all, lane.Summary)
			}
			return all
		},
	} {
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(ask(one), ask(other), all); diff != "" {
			t.Fatalf("timelines differ:\n%s", diff)
		}
	}
}

func TestJoinConservesHitsAndArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		tl := mustJoin(t, r)
		if len(tl.Problems) > 0 {
			t.Fatalf("problems: %v", tl.Problems)
		}
		requests, arrivals := 0, 0
		for _, lane := range tl.Lanes {
			s := lane.Summary
			counted := s.Failed()
			for _, n := range s.ByVersion {
				counted += n
			}
			if s.Requests != counted {
				t.Fatalf("lane %s: %d requests, failures and versions count %d", lane.ID, s.Requests, counted)
			}
			again := 0
			for _, h := range lane.Repeated {
				again += max(0, len(h.Arrivals)-1)
			}
			if s.Arrivals != s.Requests-s.NeverArrived+again {
				t.Fatalf("lane %s: %d arrivals of %d requests, %d never arrived, %d came again", lane.ID, s.Arrivals, s.Requests, s.NeverArrived, again)
			}
			requests, arrivals = requests+s.Requests, arrivals+s.Arrivals
		}
		if requests != len(r.Hits) || arrivals != len(r.Arrivals) {
			t.Fatalf("%d requests of %d hits, %d arrivals of %d", requests, len(r.Hits), arrivals, len(r.Arrivals))
		}
		failed := slices.DeleteFunc(slices.Clone(r.Hits), func(h evidence.Hit) bool { return !h.Failed() })
		if got := timeline.Failed(tl.Lanes); len(got) != len(failed) {
			t.Fatalf("%d failed hits kept of %d", len(got), len(failed))
		}
	})
}

func TestOutagesAreDisjointOrderedAndCoverExactlyTheFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		outages := mustJoin(t, r).Lanes[0].Summary.Outages
		for i, o := range outages {
			if o.To < o.From || i > 0 && o.From < outages[i-1].To {
				t.Fatalf("outage %d of %v ends before it begins or is not after the one before", i, outages)
			}
			if o.Open && i != len(outages)-1 {
				t.Fatalf("outage %d of %v is open and not the last", i, outages)
			}
		}
		lane := slices.DeleteFunc(slices.Clone(r.Hits), func(h evidence.Hit) bool { return h.Lane != "a" })
		slices.SortStableFunc(lane, func(a, b evidence.Hit) int { return int(a.Sent - b.Sent) })
		var runs []int // lengths of the runs of failures, in order
		for i, h := range lane {
			if h.Failed() && (i == 0 || !lane[i-1].Failed()) {
				runs = append(runs, 0)
			}
			if h.Failed() {
				runs[len(runs)-1]++
			}
		}
		var covered []int
		for _, o := range outages {
			covered = append(covered, o.Failed)
		}
		if !slices.Equal(runs, covered) {
			t.Fatalf("outages %v cover %v failures, they came in runs of %v", outages, covered, runs)
		}
	})
}

func TestOutagesAreNotLengthenedByAGoodHit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		before := mustJoin(t, r).Lanes[0].Summary
		extra := paced("a", "2")[0]
		extra.Seq = uint64(before.Requests)
		extra.Sent = time.Duration(rapid.IntRange(0, loadEnded).Draw(t, "sent")) * ms
		r.Hits = append(r.Hits, extra)
		after := mustJoin(t, r).Lanes[0].Summary
		if after.LongestOutage() > before.LongestOutage() {
			t.Fatalf("longest outage grew from %s to %s: %v", before.LongestOutage(), after.LongestOutage(), after.Outages)
		}
		for _, o := range after.Outages {
			within := func(b timeline.Outage) bool { return b.From <= o.From && o.To <= b.To }
			if !slices.ContainsFunc(before.Outages, within) {
				t.Fatalf("outage %v is not within any of %v", o, before.Outages)
			}
		}
	})
}

func TestJoinAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		if len(r.Hits) > 0 && rapid.Bool().Draw(t, "duplicate") {
			twin := r.Hits[0]
			twin.Took++
			r.Hits = append(r.Hits, twin)
		}
		shuffled := r
		shuffled.Hits = rapid.Permutation(r.Hits).Draw(t, "hits")
		shuffled.Arrivals = append([]evidence.Arrival{}, rapid.Permutation(r.Arrivals).Draw(t, "arrivals")...)
		shuffled.Events = rapid.Permutation(r.Events).Draw(t, "events")
		same(t, mustJoin(t, r), mustJoin(t, shuffled))
	})
}

// Setting a node's clock ahead moves every time read on it and the reading of the clock alike, so that the timeline stays the same.
func TestJoinAnyClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t)
		r.Run.Clocks = []evidence.ClockReading{{Node: "n1"}, {Node: "n2"}}
		r.Events = append(r.Events, evidence.Event{At: 172 * ms, Clock: "n1", Kind: evidence.PodSigterm,
			By: evidence.Server{Version: "v1", Pod: "pod-v1"}})
		ahead := time.Duration(rapid.Int64Range(int64(-time.Hour), int64(time.Hour)).Draw(t, "ahead"))
		set := streams{Run: r.Run, Hits: slices.Clone(r.Hits), Arrivals: slices.Clone(r.Arrivals), Events: slices.Clone(r.Events)}
		set.Run.Clocks = []evidence.ClockReading{{Node: "n1", Offset: ahead}, {Node: "n2"}}
		for i := range set.Hits {
			if set.Hits[i].Lane == "a" {
				set.Hits[i].Due += ahead
				set.Hits[i].Sent += ahead
			}
		}
		for i := range set.Arrivals {
			if set.Arrivals[i].By.Node == "n1" {
				set.Arrivals[i].At += ahead
			}
		}
		for i := range set.Events {
			if set.Events[i].Clock == "n1" {
				set.Events[i].At += ahead
			}
		}
		same(t, mustJoin(t, r), mustJoin(t, set))
	})
}
