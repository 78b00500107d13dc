package loadgen

import (
	"bufio"
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
	"example.com/rollcall/harness/evidence/store"
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

// drain fetches hits until no more will come, which nothing may delay.
func drain(t *testing.T, since func(n int) (store.Frame[evidence.Hit], error)) []evidence.Hit {
	t.Helper()
	var hits []evidence.Hit
	for {
		frame, err := since(len(hits))
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, frame.Records...)
		if frame.End {
			break
		}
		if len(frame.Records) == 0 {
			t.Fatalf("no end after %d hits", len(hits))
		}
	}
	slices.SortFunc(hits, func(a, b evidence.Hit) int { return cmp.Compare(a.Seq, b.Seq) })
	return hits
}

// frameFrom returns what a buffer has from a number on, as it is after sending.
func frameFrom(b *buffer, n int) (frame store.Frame[evidence.Hit], err error) {
	some, err := b.from(n)
	if err != nil {
		return frame, err
	}
	var wire bytes.Buffer
	if err := some.write(&wire); err != nil {
		return frame, err
	}
	frame, _, err = store.ReadFrame[evidence.Hit](bufio.NewReader(&wire))
	return frame, err
}

// kept returns the hits of a client so far.
func kept(t *testing.T, c *client) []evidence.Hit {
	t.Helper()
	frame, err := frameFrom(c.buffer, 0)
	if err != nil {
		t.Fatal(err)
	}
	return frame.Records
}

// HitsFrom is HitsOfLanes of one lane.
func (r Remote) HitsFrom(ctx context.Context, lane string, n int) (frame store.Frame[evidence.Hit], err error) {
	frames, err := r.HitsOfLanes(ctx, []string{lane}, []int{n})
	if err == nil {
		frame = frames[0]
	}
	return frame, err
}
