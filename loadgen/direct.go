package loadgen

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A direct is an exchanger that writes a request and reads its reply in the same goroutine. Per request, net/http spends as much on
// goroutines, contexts and channels as this does on everything outside the kernel.
type direct struct {
	httpLane
	address  string
	keep     bool
	resends  bool // see [httpConn.unanswered]
	ports    *LocalPorts
	buffers  sync.Pool // of httpConns without a connection
	template requestTemplate

	tls   *tls.Config // nil: connections are plain
	shown atomic.Pointer[x509.Certificate]
	noted func(evidence.Event) // nil: events are dropped
	clock clock
	kept  *connections // nil: connections are not kept, or not noted

	// Requests use the slots in turn. Each keeps one connection, since kube-proxy chooses a pod per connection. A request that finds
	// its slot empty, because the connection is busy or ended, dials.
	slots []atomic.Pointer[httpConn]
}

func newDirect(l httpLane, slots int, cfg Config, noted *connections) *direct {
	req := l.request(0)
	s := &direct{httpLane: l, address: l.DialAddress(), keep: l.Kind().KeepsAlive(), resends: l.Resends && replayable(req), ports: cfg.Ports,
		template: templateOf(req), slots: make([]atomic.Pointer[httpConn], slots), noted: cfg.Note, clock: newClock(cfg.Began)}
	if s.keep {
		s.kept = noted
	}
	if l.OverTLS() {
		s.tls, _ = cfg.UserHTTP.tls().config(l.target.Hostname()) // no error: checked by UserHTTP.Check
	}
	return s
}

// replayable reports whether net/http would send a request again (net/http/request.go, isReplayable).
func replayable(req *http.Request) bool {
	return req.Body == nil && (req.Method == http.MethodGet || req.Method == http.MethodHead)
}

func (s *direct) exchange(q request, h *evidence.Hit) (failures []error) {
	place := int(q.turn % uint64(len(s.slots)))
	w, err := s.connect(place, q, h)
	if err != nil {
		s.noteFailure(err)
		return []error{err}
	}
	r, last, err := w.exchange(s.template, q.seq, s.userapp)
	if s.resends && h.Reused && w.unanswered(err) {
		w.noted.ended(endOf(err, w.readErr))
		w.conn.Close()
		w.close()
		return s.exchange(q, h)
	}
	s.judge(r, h)
	if time.Since(q.sent) >= resendTimer {
		h.Resent = w.resent.since(w.conn)
	}
	if err != nil {
		failures = []error{err, w.readErr}
		s.noteFailure(err)
		w.noted.ended(endOf(failures...))
		w.conn.Close() // TLS's closing alert would wait up to 5 s for a peer that reads nothing (crypto/tls, closeNotify)
	}
	if err != nil || last || !s.keep || !s.slots[place].CompareAndSwap(nil, w) {
		w.noted.ended(evidence.EndOwn)
		w.close()
	}
	return failures
}

// connect returns the connection in a slot if it is alive, else a new one.
func (s *direct) connect(place int, q request, h *evidence.Hit) (*httpConn, error) {
	if w := s.slots[place].Swap(nil); w != nil {
		end, ended := evidence.EndFault, true
		if w.conn.SetDeadline(q.deadline) == nil {
			end, ended = w.ended()
		}
		if !ended {
			h.Attempts, h.Reused, h.LocalPort, h.Connection = h.Attempts+1, true, localPort(w.conn), w.noted.number()
			return w, nil
		}
		w.noted.ended(end)
		w.close()
	}
	// No keep-alive probes: a connection is used again before the first is due, and each option is a system call.
	dialled, err := s.ports.dial(context.Background(), net.Dialer{Deadline: q.deadline, KeepAlive: -1}, s.address)
	if err != nil {
		var undialled *dialError
		if errors.As(err, &undialled) {
			h.LocalPort = uint16(undialled.port)
		}
		return nil, err
	}
	opened := time.Now()
	h.Attempts, h.Reused, h.LocalPort = h.Attempts+1, false, localPort(dialled)
	h.Connect = opened.Sub(q.sent).Truncate(time.Microsecond)
	if err := dialled.SetDeadline(q.deadline); err != nil {
		dialled.Close()
		return nil, err
	}
	w := s.newConn(dialled)
	w.noted = s.kept.opened(opened, place, int(h.LocalPort))
	h.Connection = w.noted.number()
	if s.tls == nil {
		return w, nil
	}
	if err := s.secure(w); err != nil {
		w.noted.ended(endOf(err))
		w.close()
		return nil, err
	}
	h.HandshakeMicros = uint32(time.Since(opened).Microseconds())
	return w, nil
}

// close closes the kept connections.
func (s *direct) close() {
	for i := range s.slots {
		if w := s.slots[i].Swap(nil); w != nil {
			w.noted.ended(evidence.EndOwn)
			w.close()
		}
	}
}
