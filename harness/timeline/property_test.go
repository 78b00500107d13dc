package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// loadEnded is later than any hit drawn.
const loadEnded = 10_000

// drawHits draws one lane's hits: numbered without holes, sent one after the other, good or failed.
func drawHits(t *rapid.T, lane string) []evidence.Hit {
	hits := paced(lane, rapid.StringOfN(rapid.SampledFrom([]rune("12x")), 0, 60, -1).Draw(t, lane))
	sent := time.Duration(0)
	for i := range hits {
		sent += time.Duration(rapid.IntRange(1, 50).Draw(t, "gap")) * ms
		hits[i].Sent = sent
	}
	return hits
}

func drawRecording(t *rapid.T) evidence.Evidence {
	hits := append(drawHits(t, "a"), drawHits(t, "b")...)
	events := append(marks(0, 100, 300, loadEnded),
		pod(1, evidence.PodReady, "v1", "pod-v1"), pod(150, evidence.PodReady, "v2", "pod-v2"),
		pod(170, evidence.EndpointGone, "v1", "pod-v1"), pod(171, evidence.PodDeleting, "v1", "pod-v1"))
	return recording(hits, events, fresh("a", "n1"), fresh("b", "n2"))
}

func mustJoin(t *rapid.T, ev evidence.Evidence) timeline.Timeline {
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestJoinConservesHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawRecording(t)
		joined, counted := []evidence.Hit(nil), 0
		for _, lane := range mustJoin(t, ev).Lanes {
			joined = append(joined, lane.Hits...)
			s := lane.Summary
			counted += s.Failed()
			for _, n := range s.ByVersion {
				counted += n
			}
			if s.Requests != len(lane.Hits) {
				t.Fatalf("lane %s counts %d requests of %d hits", lane.ID, s.Requests, len(lane.Hits))
			}
		}
		if !slices.Equal(ev.Hits, joined) {
			t.Fatalf("hits in and out differ:\n%s", cmp.Diff(ev.Hits, joined))
		}
		if counted != len(ev.Hits) {
			t.Fatalf("failures and versions count %d of %d hits", counted, len(ev.Hits))
		}
	})
}

func TestOutagesAreDisjointOrderedAndCoverExactlyTheFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lane := mustJoin(t, drawRecording(t)).Lanes[0]
		outages := lane.Summary.Outages
		for i, o := range outages {
			if o.To <= o.From || i > 0 && o.From < outages[i-1].To {
				t.Fatalf("outage %d of %v is empty or not after the one before", i, outages)
			}
			if o.Open && i != len(outages)-1 {
				t.Fatalf("outage %d of %v is open and not the last", i, outages)
			}
		}
		covered := make([]int, len(outages))
		for _, h := range lane.Hits {
			i := slices.IndexFunc(outages, func(o timeline.Outage) bool { return o.From <= h.Sent && h.Sent < o.To })
			if h.Failed() != (i >= 0) {
				t.Fatalf("hit %d failed: %t, outage %d of %v", h.Seq, h.Failed(), i, outages)
			}
			if i >= 0 {
				covered[i]++
			}
		}
		for i, o := range outages {
			if o.Failed != covered[i] {
				t.Fatalf("outage %v covers %d failures", o, covered[i])
			}
		}
	})
}

func TestAGoodHitNeverLengthensAnOutage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawRecording(t)
		before := mustJoin(t, ev).Lanes[0].Summary
		extra := paced("a", "2")[0]
		extra.Seq = uint64(before.Requests)
		extra.Sent = time.Duration(rapid.IntRange(0, loadEnded).Draw(t, "sent")) * ms
		ev.Hits = append(ev.Hits, extra)
		after := mustJoin(t, ev).Lanes[0].Summary
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

func TestTheOrderOfTheInputDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := drawRecording(t)
		if len(ev.Hits) > 0 && rapid.Bool().Draw(t, "duplicate") {
			twin := ev.Hits[0]
			twin.Took++
			ev.Hits = append(ev.Hits, twin)
		}
		shuffled := ev
		shuffled.Hits = rapid.Permutation(ev.Hits).Draw(t, "hits")
		shuffled.Events = rapid.Permutation(ev.Events).Draw(t, "events")
		one, other := mustJoin(t, ev), mustJoin(t, shuffled)
		if diff := cmp.Diff(one, other, cmp.AllowUnexported(timeline.Timeline{})); diff != "" {
			t.Fatalf("timelines differ:\n%s", diff)
		}
		if diff := cmp.Diff(one.DrainLags(), other.DrainLags()); diff != "" {
			t.Fatalf("drain lags differ:\n%s", diff)
		}
		if diff := cmp.Diff(one.Capacities(), other.Capacities()); diff != "" {
			t.Fatalf("capacities differ:\n%s", diff)
		}
	})
}
