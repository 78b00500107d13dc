package loadgen_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/loadgen"
)

// A failure is what clients of a failing server see.
type failure string

const (
	refused     failure = "refused"      // nothing listens, and keep-alive connections are closed
	reset       failure = "reset"        // a request is answered with a RST
	stalled     failure = "stalled"      // a request gets no answer, not even when the server is well again
	wrongServer failure = "wrong server" // an app answers that is not the one asked
)

// A window is a time, [begin, end), in which a server fails.
type window struct{ begin, end time.Duration }

// BenchmarkOutages compares measured outages with true ones: a server fails in windows whose ends it knows, a lane sends it
// requests, and the lane's hits are joined like every recording's. An iteration is a window of each failure. A lane of R requests a
// second sees either end late by up to 1/R. So it has to be right to 1/R, and 1 ms for the program; to find each window of 2/R or
// longer; and to find no other. A window does not count if the machine let a request near one of its ends wait.
func BenchmarkOutages(b *testing.B) {
	for _, rate := range []int{100, 1000} {
		for _, conn := range []evidence.Conn{evidence.Fresh, evidence.Reused} {
			for _, length := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, time.Second} {
				b.Run(fmt.Sprintf("%d/%s/%s", rate, conn, length), func(b *testing.B) { measureWindows(b, rate, conn, length) })
			}
		}
	}
}

func measureWindows(b *testing.B, rate int, conn evidence.Conn, length time.Duration) {
	lane := evidence.Lane{ID: "host", Vantage: evidence.FromHost, Conn: conn, Rate: rate}
	interval := time.Second / time.Duration(rate)
	var worst time.Duration
	found, counted := 0, 0
	for b.Loop() {
		for _, how := range []failure{refused, reset, stalled, wrongServer} {
			w, hits := recordWindow(b, lane, how, length)
			outages := outagesOf(b, lane, hits)
			if disturbed(hits, w, interval) {
				continue
			}
			counted++
			if len(outages) == 0 && w.end-w.begin < 2*interval {
				continue
			}
			if len(outages) != 1 {
				b.Errorf("%s for %s: %d outages were found", how, w.end-w.begin, len(outages))
				continue
			}
			found++
			worst = max(worst, (outages[0].Length() - (w.end - w.begin)).Abs())
		}
	}
	if bar := interval + time.Millisecond; worst > bar {
		b.Errorf("an outage was off by %s, more than %s", worst, bar)
	}
	b.ReportMetric(worst.Seconds()*1000, "worst-ms")
	b.ReportMetric(float64(found), "found")
	b.ReportMetric(float64(counted), "windows")
	b.ReportMetric(0, "ns/op")
}

// recordWindow runs a lane against a server that fails once for the length.
func recordWindow(b *testing.B, lane evidence.Lane, how failure, length time.Duration) (window, []evidence.Hit) {
	b.Helper()
	s := startFailing(b, how)
	defer s.stop()
	lane.Target = "http://" + s.addr
	began := time.Now()
	attack, err := loadgen.Start(b.Context(), lane, loadgen.Config{Began: began, Service: "shop", Timeout: 500 * time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	interval := time.Second / time.Duration(lane.Rate)
	quiet := max(30*time.Millisecond, 5*interval)
	time.Sleep(quiet + rand.N(interval))
	s.fail(b, true)
	w := window{begin: time.Since(began)}
	time.Sleep(length)
	s.fail(b, false)
	w.end = time.Since(began)
	time.Sleep(quiet)
	attack.Stop()
	return w, attack.Hits()
}

func outagesOf(b *testing.B, lane evidence.Lane, hits []evidence.Hit) []timeline.Outage {
	b.Helper()
	var ended time.Duration
	for _, h := range hits {
		ended = max(ended, h.End())
	}
	tl, err := timeline.Join(evidence.Evidence{
		Run:    evidence.Run{Scenario: "accuracy", Lanes: []evidence.Lane{lane}},
		Hits:   evidence.Hits(hits),
		Events: []evidence.Event{{Kind: evidence.LoadEnded, At: ended}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return tl.Lanes[0].Summary.Outages
}

// disturbed reports whether a request in flight within an interval of an end of the window was answered or refused 2 ms or more
// after it was due: a Go program's timers alone are up to 1.1 ms late. It does not depend on what was measured.
func disturbed(hits []evidence.Hit, w window, interval time.Duration) bool {
	for _, h := range hits {
		settled := h.End()
		if h.Fault == evidence.Timeout {
			settled = h.Sent
		}
		for _, end := range []time.Duration{w.begin, w.end} {
			if h.Due <= end+interval && settled >= end-interval && settled-h.Due > 2*time.Millisecond {
				return true
			}
		}
	}
	return false
}

// A failing server is an app pod of the service "shop" that can be made to fail.
type failing struct {
	how    failure
	addr   string
	server *http.Server
	socket net.Listener // closed while it refuses
	fails  atomic.Bool
}

// startFailing listens on a port below the range that the kernel gives to clients: nobody else gets it while nothing listens on it.
func startFailing(b *testing.B, how failure) *failing {
	b.Helper()
	s := &failing{how: how}
	s.server = &http.Server{Handler: s}
	for port := 20_000; s.socket == nil; port++ {
		if port == 30_000 {
			b.Fatal("no port is free")
		}
		s.addr = fmt.Sprintf("127.0.0.1:%d", port)
		s.socket, _ = net.Listen("tcp4", s.addr)
	}
	go s.server.Serve(s.socket) //nolint:errcheck // it ends when the socket is closed
	return s
}

func (s *failing) stop() { _ = s.server.Close() }

// fail begins or ends the window. At the end, connections that were accepted before work again no sooner than new ones.
func (s *failing) fail(b *testing.B, fails bool) {
	b.Helper()
	if s.how == refused && !fails {
		var err error
		if s.socket, err = net.Listen("tcp4", s.addr); err != nil {
			b.Fatal(err)
		}
		s.server.SetKeepAlivesEnabled(true)
	}
	s.fails.Store(fails)
	switch {
	case s.how != refused:
	case fails:
		s.socket.Close()
		s.server.SetKeepAlivesEnabled(false)
	default:
		go s.server.Serve(s.socket) //nolint:errcheck // it ends when the socket is closed
	}
}

// ServeHTTP answers as the app does, unless the server fails.
func (s *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service := "shop"
	if s.fails.Load() {
		switch s.how {
		case reset:
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_ = conn.(*net.TCPConn).SetLinger(0) // an error is a client that has left
			conn.Close()
			return
		case wrongServer:
			service = "other"
		case stalled:
			_, _ = io.Copy(io.Discard, r.Body) // net/http looks for the client's leaving only behind the body
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case refused: // accepted just before the socket was closed
			panic(http.ErrAbortHandler)
		}
	}
	h := w.Header()
	h.Set("X-Rollcall-Service", service)
	h.Set("X-Rollcall-Version", "v1")
	h.Set("X-Rollcall-Pod", "shop-v1-abc")
	h.Set("X-Rollcall-Node", "worker")
}
