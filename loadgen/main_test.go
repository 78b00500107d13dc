package loadgen

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/rollcall/harness/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is a timeout that only a hung test reaches.
const patient = 30 * time.Second

// stalled is a timeout that is waited for: in it a busy machine, too, gets to where the peer stalls.
const stalled = 3 * time.Second

// serveApp serves what an app pod of the service "shop" would reply, after before has returned; nil: at once.
func serveApp(t *testing.T, before http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			before(w, r)
		}
		nameApp(w.Header())
	}))
	t.Cleanup(server.Close)
	return server
}

func nameApp(h http.Header) {
	h.Set(serviceHeader, "shop")
	h.Set(versionHeader, "v1")
	h.Set(podHeader, "shop-v1-abc")
	h.Set(nodeHeader, "worker")
}

func lane(conn evidence.Conn, target string, rate int) evidence.Lane {
	return evidence.Lane{ID: "worker-" + string(conn), Vantage: evidence.FromPod, Node: "worker", Conn: conn, Target: target, Rate: rate}
}

func mustStart(t *testing.T, lane evidence.Lane, timeout time.Duration) *Attack {
	t.Helper()
	a, err := Start(t.Context(), lane, Config{Began: time.Now(), Service: "shop", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Stop)
	return a
}

// clientOf returns the client of a lane, whose log is in memory.
func clientOf(lane evidence.Lane, cfg Config) *client {
	c, err := newClient(lane, cfg, &buffer{})
	if err != nil {
		panic(err)
	}
	return c
}

// directOf returns the exchanger of a lane over HTTP.
func directOf(lane evidence.Lane, cfg Config) *direct {
	opened, err := openHTTP(lane, cfg, nil)
	if err != nil {
		panic(err)
	}
	return opened.(*direct)
}

// arrive waits until something came through the channel.
func arrive(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patient):
		t.Fatalf("no %s in %s", what, patient)
	}
}

// hitsOf ends an attack and returns all its hits, in order of their sequence numbers.
func hitsOf(t *testing.T, a *Attack) []evidence.Hit {
	t.Helper()
	a.Stop()
	return slices.SortedFunc(slices.Values(a.Hits()), func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
}

// drain fetches the hits of a lane from a position on until no more will come, which nothing may delay. It returns the end too.
func drain(t *testing.T, agent Remote, lane string, at int64) ([]evidence.Hit, int64) {
	t.Helper()
	var hits []evidence.Hit
	for {
		r, err := agent.HitsFrom(t.Context(), lane, at)
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, r.Hits...)
		if !r.End && r.Next == at {
			t.Fatalf("no end after %d hits", len(hits))
		}
		if at = r.Next; r.End {
			break
		}
	}
	slices.SortFunc(hits, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
	return hits, at
}

// rangeFrom returns what a buffer has from a position on, as it is after sending.
func rangeFrom(b *buffer, at int64) (r Range, err error) {
	some, err := b.from(at)
	if err != nil {
		return r, err
	}
	ranges, err := readRanges(bytes.NewReader(some.appendTo(nil)), []int64{at})
	if err == nil {
		r = ranges[0]
	}
	return r, err
}

// kept returns the hits of a client so far.
func kept(t *testing.T, c *client) []evidence.Hit {
	t.Helper()
	r, err := rangeFrom(c.buffer, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r.Hits
}

// HitsFrom is HitsOfLanes of one lane.
func (r Remote) HitsFrom(ctx context.Context, lane string, at int64) (found Range, err error) {
	ranges, err := r.HitsOfLanes(ctx, []string{lane}, []int64{at})
	if err == nil {
		found = ranges[0]
	}
	return found, err
}
