package loadgen

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
)

// TestOpenLoop holds back every reply until fifty requests are in flight, which a sender that waits for replies never reaches, and
// then checks the hits.
func TestOpenLoop(t *testing.T) {
	const rate, crowd = 200, 50
	for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
		t.Run(string(conn), func(t *testing.T) {
			var (
				mu      sync.Mutex
				seqs    = map[string]int{}
				names   = map[string]int{}
				methods = map[string]int{}
				crowded = make(chan struct{})
			)
			server := serveApp(t, func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seqs[r.Header.Get("X-Vegeta-Seq")]++
				names[r.Header.Get("X-Vegeta-Attack")]++
				methods[r.Method]++
				if len(seqs) == crowd {
					close(crowded)
				}
				mu.Unlock()
				<-crowded
			})
			began := time.Now()
			a := mustStart(t, lane(conn, server.URL, rate), patient)
			arrive(t, "crowd", crowded)
			hits := hitsOf(t, a)

			if len(hits) < crowd || len(hits) != len(seqs) {
				t.Fatalf("%d hits of %d requests at the server", len(hits), len(seqs))
			}
			ports := map[int]int{}
			for i, h := range hits {
				want := evidence.Hit{
					Lane: "worker-" + string(conn), Seq: uint64(i), Status: 200, Attempts: 1,
					By:  evidence.Server{Version: "v1", Pod: "shop-v1-abc", Node: "worker"},
					Due: hits[0].Due + time.Duration(i)*time.Second/rate, Sent: h.Sent, Took: h.Took, LocalPort: h.LocalPort, Reused: h.Reused,
					Connect: h.Connect, Resent: h.Resent, Connection: h.Connection,
				}
				if diff := cmp.Diff(want, h); diff != "" {
					t.Fatalf("hit %d (-want +got):\n%s", i, diff)
				}
				if h.Sent < h.Due {
					t.Errorf("hit %d was sent %s before it was due", i, h.Due-h.Sent)
				}
				if opened := h.Connect > 0 && h.Connect <= h.Took; opened == h.Reused {
					t.Errorf("hit %d took %s to connect of %s; over a connection that was open: %v", i, h.Connect, h.Took, h.Reused)
				}
				if h.LocalPort == 0 {
					t.Errorf("hit %d has no port", i)
				}
				if h.Reused && conn == evidence.Fresh {
					t.Errorf("hit %d reused a connection", i)
				}
				ports[int(h.LocalPort)]++
				if n := seqs[strconv.Itoa(i)]; n != 1 {
					t.Errorf("sequence number %d came %d times", i, n)
				}
			}
			if hits[0].Due < time.Second/rate || hits[0].Due > time.Since(began) {
				t.Errorf("the first hit was due at %s, want an interval or more after the run began", hits[0].Due)
			}
			if conn == evidence.Fresh && len(ports) != len(hits) {
				t.Errorf("%d hits over %d connections", len(hits), len(ports))
			}
			if diff := cmp.Diff(map[string]int{"worker-" + string(conn): len(hits)}, names); diff != "" {
				t.Errorf("attack names (-want +got):\n%s", diff)
			}
			method := map[evidence.Conn]string{evidence.Fresh: http.MethodGet, evidence.Reused: http.MethodPost}[conn]
			if methods[method] != len(hits) {
				t.Errorf("methods %v, want %s alone", methods, method)
			}
			if trouble := a.client.buffer.firstTrouble(); trouble != "" {
				t.Error(trouble)
			}
		})
	}
}

// TestReusedLaneSpreads sends three requests per connection, one after the other, and counts the connections.
func TestReusedLaneSpreads(t *testing.T) {
	server := serveApp(t, nil)
	c := clientOf(lane(evidence.Reused, server.URL, 1), Config{Began: time.Now(), Service: "shop", Timeout: patient})
	t.Cleanup(c.close)
	for seq := range uint64(3 * reusedConns) {
		c.send(seq)
	}
	ports := map[int]bool{}
	for i, h := range kept(t, c) {
		if h.Reused != (i >= reusedConns) || h.Failed() {
			t.Errorf("hit %d: reused %v, fault %q", i, h.Reused, h.Fault)
		}
		ports[int(h.LocalPort)] = true
	}
	if len(ports) != reusedConns {
		t.Errorf("%d connections, want %d", len(ports), reusedConns)
	}
}

// TestStopAwaits stops the attack, by Stop or by its context, while a request is in flight.
func TestStopAwaits(t *testing.T) {
	for _, by := range []string{"stop", "context"} {
		t.Run(by, func(t *testing.T) {
			var once sync.Once
			inFlight, release := make(chan struct{}), make(chan struct{})
			server := serveApp(t, func(http.ResponseWriter, *http.Request) {
				once.Do(func() { close(inFlight) })
				<-release
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			a, err := Start(ctx, lane(evidence.Fresh, server.URL, 100), Config{Began: time.Now(), Service: "shop", Timeout: patient})
			if err != nil {
				t.Fatal(err)
			}
			arrive(t, "request", inFlight)
			if by == "stop" {
				go a.Stop()
			} else {
				cancel()
			}
			select {
			case <-a.done:
				t.Error("the attack ended with a request in flight")
			case <-time.After(100 * time.Millisecond): // as long as a faulty one would be given to show itself
			}
			close(release)
			for _, h := range hitsOf(t, a) {
				if h.Failed() {
					t.Errorf("hit %d failed: %s", h.Seq, h.Fault)
				}
			}
		})
	}
}

func TestStartRefuses(t *testing.T) {
	good := lane(evidence.Fresh, "http://127.0.0.1:1/", 1)
	cfg := Config{Began: time.Now(), Service: "shop"}
	tests := []struct {
		sentence string
		spoil    func(*evidence.Lane, *Config)
		want     string
	}{
		{"a lane without an id", func(l *evidence.Lane, _ *Config) { l.ID = "" }, "needs an id"},
		{"a kind of connection that was not chosen", func(l *evidence.Lane, _ *Config) { l.Conn = "" }, "kind of connection"},
		{"a protocol that nobody speaks", func(l *evidence.Lane, _ *Config) { l.Protocol = "telex" }, "unknown protocol"},
		{"a target without a host", func(l *evidence.Lane, _ *Config) { l.Target = "shop:80" }, "not an http or https URL"},
		{"a target that is not a URL", func(l *evidence.Lane, _ *Config) { l.Target = "http://[" }, "missing ']'"},
		{"a lane without a rate", func(l *evidence.Lane, _ *Config) { l.Rate = 0 }, "out of range"},
		{"a fresh lane that resends", func(l *evidence.Lane, _ *Config) { l.Resends = true }, "keeps no connection"},
		{"no service to expect", func(_ *evidence.Lane, c *Config) { c.Service = "" }, "no service"},
		{"a run without a beginning", func(_ *evidence.Lane, c *Config) { c.Began = time.Time{} }, "no time"},
		{"a negative timeout", func(_ *evidence.Lane, c *Config) { c.Timeout = -1 }, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			l, c := good, cfg
			tt.spoil(&l, &c)
			if _, err := Start(t.Context(), l, c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestWorkersFor(t *testing.T) {
	tests := []struct {
		sentence string
		lane     evidence.Lane
		timeout  time.Duration
		want     uint64
	}{
		{"a stalled Service at the usual rate", evidence.Lane{Rate: 200}, 2 * time.Second, 610},
		{"a slow lane with a short timeout still has ten", evidence.Lane{Rate: 1}, 100 * time.Millisecond, 10},
		{"streams of a minute, of which one begins each second", evidence.Lane{Rate: 1, Longest: time.Minute}, 2 * time.Second, 100},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			if got := workersFor(tt.lane, tt.timeout); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// TestClockIgnoresWallClock reads times without the wall clock: only the first comparison uses it.
func TestClockIgnoresWallClock(t *testing.T) {
	c := newClock(time.Now().Add(-time.Hour).Round(0)) // as it arrives over the wire: no monotonic reading
	at := c.at(c.made.Add(time.Second))
	if at < time.Hour+time.Second || at > time.Hour+time.Minute {
		t.Errorf("got %s, want an hour and a second", at)
	}
}

func TestHitIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(evidence.Hit{}); size > 152 {
		t.Errorf("a hit takes %d bytes", size)
	}
}

// A run that was killed cannot end the load: the agents do, sooner if the requests may do harm.
func TestConfigUnasked(t *testing.T) {
	for _, row := range []struct {
		sentence string
		cfg      Config
		want     time.Duration
	}{
		{"requests to the echo app", Config{}, 5 * time.Minute},
		{"requests that read", Config{UserHTTP: &UserHTTP{Method: http.MethodHead}}, 5 * time.Minute},
		{"requests that may change something", Config{UserHTTP: &UserHTTP{Method: http.MethodDelete}}, time.Minute},
		{"what the run asked for", Config{Unfetched: time.Hour, UserHTTP: &UserHTTP{Method: http.MethodPost}}, time.Hour},
	} {
		if got := row.cfg.withDefaults().Unfetched; got != row.want {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}
