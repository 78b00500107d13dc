package loadgen

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
)

// TestSharesAreTheWhole splits a lane among agents and puts their shares together again.
func TestSharesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lane := evidence.Lane{Rate: rapid.IntRange(1, 5000).Draw(rt, "rate"), Agents: rapid.IntRange(0, 16).Draw(rt, "agents")}
		each := rapid.Uint64Range(1, 50).Draw(rt, "requests of each")
		conns := rapid.IntRange(1, 40).Draw(rt, "connections")
		alone := shareOf(evidence.Lane{Rate: lane.Rate}, 0)

		var numbers []uint64
		together := 0
		for i := range lane.AgentCount() {
			s := shareOf(lane, i)
			together += s.part(conns)
			for n := range each {
				numbers = append(numbers, s.number(n))
				if got, want := s.due(n), alone.due(s.number(n)); got != want {
					rt.Fatalf("agent %d owes number %d after %s, one agent alone after %s", i, s.number(n), got, want)
				}
			}
		}
		slices.Sort(numbers)
		for i, number := range numbers {
			if number != uint64(i) {
				rt.Fatalf("number %d comes where %d should", number, i)
			}
		}
		if want := max(conns, lane.AgentCount()); together != want {
			rt.Fatalf("%d connections together, want %d", together, want)
		}
	})
}

// TestPacerKeepsToThePlan sends as vegeta does: it asks how long to wait, waits, and is late now and then.
func TestPacerKeepsToThePlan(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		sentence string
		lane     evidence.Lane
		index    int
		woke     time.Duration         // before the first question, after the load began
		stall    map[int]time.Duration // after a request
		want     []time.Duration       // after the load began
	}{
		{"one agent sends an interval after the beginning", evidence.Lane{Rate: 100}, 0, 0, nil, []time.Duration{10 * ms, 20 * ms, 30 * ms}},
		{"the first of two sends every other one", evidence.Lane{Rate: 100, Agents: 2}, 0, 0, nil, []time.Duration{10 * ms, 30 * ms, 50 * ms}},
		{"the last of four begins last", evidence.Lane{Rate: 100, Agents: 4}, 3, 0, nil, []time.Duration{40 * ms, 80 * ms, 120 * ms}},
		{"waking late shifts nothing", evidence.Lane{Rate: 100}, 0, 15 * ms, nil, []time.Duration{15 * ms, 20 * ms, 30 * ms}},
		{"what was late is caught up with at once",
			evidence.Lane{Rate: 100, Agents: 2}, 1, 0, map[int]time.Duration{0: 50 * ms}, []time.Duration{20 * ms, 70 * ms, 70 * ms, 80 * ms}},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pacer{shareOf(tt.lane, tt.index), time.Now()}
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
				if want := float64(tt.lane.Rate) / float64(tt.lane.AgentCount()); p.Rate(0) != want {
					t.Errorf("%g a second, want %g", p.Rate(0), want)
				}
			})
		})
	}
}

// TestAgentsCarryALaneTogether has 1, 2 and 4 agents carry lanes of each kind, and expects of their hits what
// one agent's would be: the same numbers at the same instants.
func TestAgentsCarryALaneTogether(t *testing.T) {
	const rate, enough = 100, 25
	for _, agents := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(agents), func(t *testing.T) {
			t.Parallel()
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
			for i := range lanes {
				lanes[i].Agents = agents
			}
			began := time.Now().Add(-time.Hour)
			const lead = 2 * time.Second // in which a busy machine tells all of them
			cfg := Config{Began: began, At: time.Now().Add(lead), Service: "shop", Timeout: patient}
			remotes := make([]Remote, agents)
			for i := range remotes {
				remotes[i], cfg.Index = serveAgent(t), i
				if err := remotes[i].Start(t.Context(), lanes, cfg); err != nil {
					t.Fatal(err)
				}
			}
			arrive(t, "load", loaded)
			for _, remote := range remotes {
				if err := remote.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			sent := 0
			for _, lane := range lanes {
				for i, remote := range remotes {
					hits := drain(t, func(n int) (store.Frame[evidence.Hit], error) { return remote.HitsFrom(t.Context(), lane.ID, n) })
					sent += len(hits)
					for n, h := range hits {
						if h.Seq != uint64(n*agents+i) || h.Failed() {
							t.Fatalf("lane %s: hit %d of agent %d is %+v", lane.ID, n, i, h)
						}
						if came[lane.ID+" "+strconv.FormatUint(h.Seq, 10)] != 1 {
							t.Errorf("lane %s: the app did not get number %d once", lane.ID, h.Seq)
						}
						// Instants go over the wire, and each agent reads its clocks, between which a busy machine may do something else.
						want := cfg.At.Sub(began) + time.Duration(h.Seq+1)*time.Second/rate
						if off := (h.Due - want).Abs(); off > time.Second/rate/2 || h.Sent < h.Due {
							t.Errorf("lane %s: number %d was due at %s and sent at %s, want %s", lane.ID, h.Seq, h.Due, h.Sent, want)
						}
					}
				}
			}
			if len(came) != sent {
				t.Errorf("%d hits of %d requests at the app", sent, len(came))
			}
		})
	}
}

// TestAgentsShareTheConnections counts the connections that the agents of a reused lane keep together.
func TestAgentsShareTheConnections(t *testing.T) {
	for _, agents := range []int{1, 3, 16} {
		l, together := lane(evidence.Reused, "http://127.0.0.1:1/", 1), 0
		l.Agents = agents
		for i := range agents {
			together += len(newClient(l, Config{Began: time.Now(), Service: "shop", Index: i}).sender.(*directSender).slots)
		}
		if together != reusedConns {
			t.Errorf("%d agents keep %d connections together, want %d", agents, together, reusedConns)
		}
	}
}
