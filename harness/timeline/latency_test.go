package timeline_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// The longest reply and each percentile are exact to the microsecond, however long replies take.
func TestPercentilesOfLatency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tooks := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(0, int64(5*time.Second)),
			rapid.Int64Range(0, 1<<60)), 1, 2000).
			Draw(t, "tooks")
		var hits []evidence.Hit
		for i, took := range tooks {
			hits = append(hits, evidence.Hit{Lane: "a", Seq: uint64(i), Sent: ms, Due: ms, Took: time.Duration(took),
				By: evidence.Server{Version: "v1", Pod: "p"}})
		}
		tl, err := timeline.Join(recording(hits, marks(0, 20, 40, 60), fresh("a", "n1")).evidence())
		if err != nil {
			t.Fatal(err)
		}
		got := tl.Lanes[0].Summary.Latency
		slices.Sort(tooks)
		exact := func(permille int) time.Duration {
			return time.Duration(tooks[(len(tooks)*permille+999)/1000-1]).Round(time.Microsecond)
		}
		for _, p := range []struct {
			name string
			got  time.Duration
			want time.Duration
		}{{"p50", got.P50, exact(500)}, {"p99", got.P99, exact(990)}, {"p999", got.P999, exact(999)}} {
			if p.got != p.want {
				t.Fatalf("%s is %d, want %d", p.name, p.got, p.want)
			}
		}
		if got.Count != len(tooks) || got.Max != exact(1000) {
			t.Fatalf("%d replies, the longest %d; want %d, %d", got.Count, got.Max, len(tooks), exact(1000))
		}
	})
}

func TestSlowReplies(t *testing.T) {
	type edit = func(hits []evidence.Hit)
	at := func(change func(h *evidence.Hit), seqs ...int) edit {
		return func(hits []evidence.Hit) {
			for _, seq := range seqs {
				change(&hits[seq])
			}
		}
	}
	took := func(d time.Duration) func(*evidence.Hit) { return func(h *evidence.Hit) { h.Took = d } }
	for _, row := range []struct {
		sentence string
		edits    []edit
		want     []string
	}{
		{"a connection that took less than the timer of a SYN was opened by the first one",
			[]edit{at(func(h *evidence.Hit) { h.Connect, h.Took = 999*ms, 999*ms }, 3)}, nil},
		{"one that took as long was opened by another",
			[]edit{at(func(h *evidence.Hit) { h.Connect, h.Took = time.Second, 1001*ms }, 3)}, []string{"3 SYN sent again after 1 s"}},
		{"data that the kernel sent again is known from the kernel",
			[]edit{at(func(h *evidence.Hit) { h.Took, h.Resent = 203*ms, 1 }, 3)}, []string{"3 data sent again after 0.2 s"}},
		{"a request that failed has no slow reply",
			[]edit{at(func(h *evidence.Hit) { h.Took, h.Resent, h.Fault = 2*time.Second, 1, evidence.Timeout }, 3)}, nil},
		{"an answer is late by its time over the median before the rollout",
			[]edit{at(took(100*ms), 0, 1, 2), at(took(1099*ms), 6), at(took(1100*ms), 7)}, []string{"7 answered a second late"}},
		{"but not one before the rollout",
			[]edit{at(took(1100*ms), 1)}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hits := paced("a", "1111111112222")
			for _, edit := range row.edits {
				edit(hits)
			}
			var got []string
			for _, s := range join(t, recording(hits, marks(0, 40, 80, 3000), fresh("a", "n1"))).Lanes[0].Slow {
				got = append(got, fmt.Sprint(s.Seq, " ", s.Cause))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("slow replies (-want +got):\n%s", diff)
			}
		})
	}
}

// A lane's latency since the first change counts only replies of that lane.
func TestLatencySinceChangeIsOfOneLane(t *testing.T) {
	slow := paced("a", "1111")
	for i := range slow {
		slow[i].Took = 50 * ms
	}
	hits := slices.Concat(slow, paced("b", "1111"), paced("c", "1xx2"))
	tl := join(t, recording(hits, marks(0, 20, 40, 60), fresh("a", "n1"), fresh("b", "n2"), fresh("c", "n3")))
	for i, want := range []timeline.Spread{
		{Count: 3, P50: 50 * ms, P99: 50 * ms, P999: 50 * ms, Max: 50 * ms},
		{Count: 3, P50: 2 * ms, P99: 2 * ms, P999: 2 * ms, Max: 2 * ms},
		{Count: 1, P50: 2 * ms, P99: 2 * ms, P999: 2 * ms, Max: 2 * ms},
	} {
		if diff := cmp.Diff(want, tl.Lanes[i].Summary.LatencySinceChange); diff != "" {
			t.Errorf("lane %s (-want +got):\n%s", tl.Lanes[i].ID, diff)
		}
	}
}
