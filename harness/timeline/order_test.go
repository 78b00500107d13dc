package timeline_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// requests has a load of n requests, 1,000 per second, one reply each, on a lane with new and on one with kept connections. change changes
// each hit.
func requests(n int, change func(h evidence.Hit) evidence.Hit) evidence.Evidence {
	each := func(lane string, yield func(evidence.Hit) bool) bool {
		for seq := range n / 2 {
			due := time.Duration(seq+1) * ms
			h := evidence.Hit{Lane: lane, Seq: uint64(seq), Due: due, Sent: due + time.Duration(seq%300)*time.Microsecond,
				Took: ms + time.Duration(seq*7919%1_000_000), Attempts: 1, Status: 200, Reused: lane == "b", LocalPort: uint16(40000 + seq%20),
				By: evidence.Server{Version: "v1", Pod: "pod-v1", Node: "n1"}}
			if !yield(change(h)) {
				return false
			}
		}
		return true
	}
	kept := fresh("b", "n2")
	kept.Conn = evidence.Reused
	ev := recording(nil, marks(0, 20_000, 40_000, 3_600_000), fresh("a", "n1"), kept).evidence()
	ev.Hits = func(yield func(evidence.Hit, error) bool) {
		_ = each("a", func(h evidence.Hit) bool { return yield(h, nil) }) && each("b", func(h evidence.Hit) bool { return yield(h, nil) })
	}
	ev.Arrivals = func(yield func(evidence.Arrival, error) bool) {
		arrives := func(h evidence.Hit) bool {
			return yield(evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent + ms/2, By: h.By}, nil)
		}
		_ = each("a", arrives) && each("b", arrives)
	}
	return ev
}

func asRecorded(h evidence.Hit) evidence.Hit { return h }

// Joining keeps nothing of a request that needs no explanation: a load twice as long takes no more memory. The least that it could keep of
// one is a byte. What is counted by second is less.
func TestJoinKeepsNothingOfAGoodRequest(t *testing.T) {
	taken := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tl, err := timeline.Join(requests(n, asRecorded))
		runtime.ReadMemStats(&after)
		if err != nil || len(tl.Problems) > 0 || tl.Lanes[1].Summary.Requests != n/2 {
			t.Fatalf("%d requests of %d, error %v, problems %v", tl.Lanes[1].Summary.Requests, n/2, err, tl.Problems)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	const n = 150_000 // more than wait for their turn
	once, twice := taken(n), taken(2*n)
	if more := int64(twice - once); more > n {
		t.Errorf("%d requests take %d B, %d take %d B: %.1f B for each more", n, once, 2*n, twice, float64(more)/n)
	}
}

// A request that is sent late, while others are not, has its place in the order of sending.
func TestOrderOfALongLoad(t *testing.T) {
	const n = 200_000
	for _, row := range []struct {
		sentence string
		late     time.Duration
		outages  string
	}{
		{"two that fail in a row are one outage", 0, "[50.0000 s, 50.0020 s)"},
		{"a good request that was sent late, between them, makes two", 1500 * time.Microsecond, "[50.0000 s, 50.0005 s) [50.0010 s, 50.0020 s)"},
		{"ten seconds late as well", 10*time.Second + 500*time.Microsecond, "[50.0000 s, 50.0005 s) [50.0010 s, 50.0020 s)"},
		{"a request of another minute as well", 40*time.Second + 500*time.Microsecond, "[50.0000 s, 50.0005 s) [50.0010 s, 50.0020 s)"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl, err := timeline.Join(requests(n, func(h evidence.Hit) evidence.Hit {
				h.Sent = h.Due
				switch at := 50*time.Second + ms/2; {
				case h.Due == 50*time.Second, h.Due == 50*time.Second+ms:
					h.Fault, h.Status = evidence.BadStatus, 503
				case row.late > 0 && h.Due == (at-row.late).Truncate(ms):
					h.Sent = at
				}
				return h
			}))
			if err != nil || len(tl.Problems) > 0 {
				t.Fatal(err, tl.Problems)
			}
			var got []string
			for _, o := range tl.Lanes[0].Summary.Outages {
				got = append(got, fmt.Sprintf("[%.4f s, %.4f s)", o.From.Seconds(), o.To.Seconds()))
			}
			if strings.Join(got, " ") != row.outages {
				t.Errorf("outages %s, want %s", got, row.outages)
			}
		})
	}
}

// A clock that is set back by 40 s, at 1,000 requests a second, puts more requests out of order than wait for their turn: that is told.
func TestOrderOfAClockSetBack(t *testing.T) {
	tl, err := timeline.Join(requests(200_000, func(h evidence.Hit) evidence.Hit {
		if h.Seq >= 50_000 && h.Lane == "a" {
			h.Sent -= 40 * time.Second
		}
		return h
	}))
	want := `hits.parquet: lane "a": seq 50000 was sent before more than 16384 lower numbers`
	if problems := strings.Join(textsOf(tl.Problems), "\n"); err != nil || !strings.HasPrefix(problems, want) {
		t.Errorf("error %v, problems %v; want %q", err, problems, want)
	}
}
