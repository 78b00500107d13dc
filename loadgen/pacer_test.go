package loadgen

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/evidence"
)

// TestPacerKeepsToThePlan sends like vegeta: it asks how long to wait, waits, and is sometimes late.
func TestPacerKeepsToThePlan(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		sentence string
		woke     time.Duration         // before the first question, after the load began
		stall    map[int]time.Duration // after a request
		want     []time.Duration       // after the load began
	}{
		{"the first is sent an interval after the beginning", 0, nil, []time.Duration{10 * ms, 20 * ms, 30 * ms}},
		{"waking late shifts nothing", 15 * ms, nil, []time.Duration{15 * ms, 20 * ms, 30 * ms}},
		{"what was late is caught up with at once", 0, map[int]time.Duration{0: 25 * ms}, []time.Duration{10 * ms, 35 * ms, 35 * ms, 40 * ms}},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pacer{planOf(evidence.Lane{Rate: 100}), time.Now()}
				time.Sleep(tt.woke)
				var got []time.Duration
				for n := range tt.want {
					wait, stop := p.Pace(0, uint64(n))
					if stop {
						t.Fatalf("it stops before request %d", n)
					}
					time.Sleep(wait)
					got = append(got, time.Since(p.began))
					time.Sleep(tt.stall[n])
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("sent after %v, want %v", got, tt.want)
				}
				if p.Rate(0) != 100 {
					t.Errorf("%g a second, want 100", p.Rate(0))
				}
			})
		})
	}
}

// A remote agent sends each number when it is due, and the app gets each once.
func TestAgentKeepsToThePlan(t *testing.T) {
	const rate, enough = 100, 25
	var mu sync.Mutex
	came := map[string]int{} // by lane and number
	loaded := make(chan struct{})
	app := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		came[r.Header.Get("X-Vegeta-Attack")+" "+r.Header.Get(seqHeader)]++
		if len(came) == 2*enough {
			close(loaded)
		}
	})
	lanes := []evidence.Lane{lane(evidence.Fresh, app.URL, rate), lane(evidence.Reused, app.URL, rate)}
	began := time.Now().Add(-time.Hour)
	remote := serveAgent(t)
	asked := time.Since(began)
	if err := remote.Start(t.Context(), lanes, Config{Began: began, Service: "shop", Timeout: patient}); err != nil {
		t.Fatal(err)
	}
	started := time.Since(began)
	arrive(t, "load", loaded)
	if err := remote.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, lane := range lanes {
		hits, _ := drain(t, remote, lane.ID, 0)
		sent += len(hits)
		plan := hits[0].Due - time.Second/rate // when it began
		// The agent reads its own clock; a busy machine may do something else in between.
		if plan < asked-time.Second/rate/2 || plan > started+time.Second/rate/2 {
			t.Errorf("lane %s: it was told to start between %s and %s, and its load began at %s", lane.ID, asked, started, plan)
		}
		for n, h := range hits {
			if h.Seq != uint64(n) || h.Failed() {
				t.Fatalf("lane %s: hit %d is %+v", lane.ID, n, h)
			}
			if came[lane.ID+" "+strconv.FormatUint(h.Seq, 10)] != 1 {
				t.Errorf("lane %s: the app did not get number %d once", lane.ID, h.Seq)
			}
			if want := plan + time.Duration(h.Seq+1)*time.Second/rate; h.Due != want || h.Sent < h.Due {
				t.Errorf("lane %s: number %d was due at %s and sent at %s, want %s", lane.ID, h.Seq, h.Due, h.Sent, want)
			}
		}
	}
	if len(came) != sent {
		t.Errorf("%d hits of %d requests at the app", sent, len(came))
	}
}
