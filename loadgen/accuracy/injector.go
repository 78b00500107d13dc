package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A kind is a way in which an injector fails.
type kind string

// Kinds, by what a client meets while a window is open.
const (
	clean       kind = "clean"        // nothing: it has no windows
	refused     kind = "refused"      // nothing listens, and keep-alive connections are closed
	reset       kind = "reset"        // its request is answered with a RST
	stalled     kind = "stalled"      // its request gets no answer, not even when the window is over
	wrongServer kind = "wrong server" // an app that is not the one asked answers
	mixed       kind = "mixed"        // the next version and the present one answer in turn; afterwards the next one alone
)

// A window is a time, [begin, end), in which an injector failed.
type window struct {
	begin, end time.Time
	doubt      time.Duration // begin and end may each have been this much earlier
}

// An injector is a server on 127.0.0.1 that answers like the echo app, except in windows. Whether a
// request falls into one is decided at one instant, under a lock: when its headers have been read.
// A refused connection is decided by the kernel.
type injector struct {
	kind    kind
	port    port
	server  *http.Server
	serving sync.WaitGroup
	socket  net.Listener // closed while it refuses

	mu      sync.Mutex
	failing bool
	present bool                 // whose turn it is in a mixed window: the present version's, or the next one's
	decided map[uint64]time.Time // when each request was, by sequence number
	given   []replyCount         // good replies of versions v0, v1, …; the last is the version rolled out
}

// A replyCount counts replies of one version.
type replyCount struct {
	count       int
	first, last time.Time // of the decisions
}

func startInjector(k kind) (*injector, error) {
	port, err := reservePort()
	if err != nil {
		return nil, fmt.Errorf("accuracy: start injector: %w", err)
	}
	i := &injector{kind: k, port: port, given: make([]replyCount, 1), decided: make(map[uint64]time.Time)}
	i.server = &http.Server{Handler: i}
	if err := i.listen(); err != nil {
		port.release()
		return nil, fmt.Errorf("accuracy: start injector: %w", err)
	}
	i.serve()
	return i, nil
}

// stop cuts all connections and returns when nothing is served any more. The injector's numbers may be read
// without the lock from then on.
func (i *injector) stop() {
	i.server.Close()
	i.serving.Wait()
	i.port.release()
}

func (i *injector) url() string { return "http://" + i.port.addr }

// fail opens a window, waits and closes it. When ctx is done first, the window is shorter.
func (i *injector) fail(ctx context.Context, length time.Duration) (window, error) {
	w := i.begin()
	wait(ctx, length)
	if err := i.end(&w); err != nil {
		return w, err
	}
	return w, context.Cause(ctx)
}

func (i *injector) begin() window {
	i.mu.Lock()
	before := time.Now()
	if i.kind == refused {
		i.socket.Close()
	}
	w := window{begin: time.Now()}
	w.doubt = w.begin.Sub(before)
	i.failing = true
	if i.kind == mixed {
		i.given = append(i.given, replyCount{})
		i.present = false
	}
	i.mu.Unlock()
	if i.kind == refused {
		i.server.SetKeepAlivesEnabled(false)
	}
	return w
}

func (i *injector) end(w *window) error {
	if i.kind == refused {
		i.server.SetKeepAlivesEnabled(true)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	before := time.Now()
	if i.kind == refused {
		if err := i.listen(); err != nil {
			return fmt.Errorf("accuracy: end window: %w", err)
		}
	}
	w.end = time.Now()
	w.doubt = max(w.doubt, w.end.Sub(before))
	i.failing = false
	if i.kind == refused {
		i.serve()
	}
	return nil
}

// mixedWindow is the nth window of versions, from 0, as the server saw it: from its first reply of the next
// version until its last one of the present version.
func (i *injector) mixedWindow(n int) window {
	w := window{begin: i.given[n+1].first, end: i.given[n].last}
	if w.end.Before(w.begin) {
		w.end = w.begin
	}
	return w
}

func (i *injector) listen() (err error) {
	i.socket, err = net.Listen("tcp4", i.port.addr)
	return err
}

// serve serves from the socket until it is closed.
func (i *injector) serve() {
	socket := i.socket
	i.serving.Go(func() { _ = i.server.Serve(socket) })
}

// ServeHTTP decides what becomes of a request, and does it.
func (i *injector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version, failing := i.decide(r.Header.Get("X-Vegeta-Seq"))
	service := serviceName
	if failing {
		switch i.kind {
		case reset:
			sendReset(w)
			return
		case stalled:
			_, _ = io.Copy(io.Discard, r.Body) // net/http looks for the client's leaving only behind the body
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case wrongServer:
			service = "other"
		default: // accepted just before the socket was closed
			panic(http.ErrAbortHandler)
		}
	}
	h := w.Header()
	h.Set("X-Rollcall-Service", service)
	h.Set("X-Rollcall-Version", versionName(version))
	h.Set("X-Rollcall-Pod", "accuracy-"+versionName(version))
	h.Set("X-Rollcall-Node", "localhost")
}

// decide says whether a request fails, and else which version answers it.
func (i *injector) decide(seq string) (version int, failing bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	if n, err := strconv.ParseUint(seq, 10, 64); err == nil {
		i.decided[n] = now
	}
	newest := len(i.given) - 1
	if i.failing && i.kind != mixed {
		return newest, true
	}
	version = newest
	if i.failing {
		if i.present {
			version--
		}
		i.present = !i.present
	}
	t := &i.given[version]
	t.last = now
	if t.count == 0 {
		t.first = t.last
	}
	t.count++
	return version, false
}

func sendReset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // an error is a client that has left
	}
	conn.Close()
}

const serviceName = "accuracy"

func versionName(n int) string { return fmt.Sprintf("v%d", n) }
