package loadgen

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"rollcall/harness/evidence"
)

// A directSender writes a request, waits for its reply in the same goroutine, and never sends anything again. net/http
// spends as much on goroutines, contexts and channels per request as this does on all of it but the kernel's part.
type directSender struct {
	address  string
	keep     bool
	ports    *LocalPorts
	buffers  sync.Pool                       // of httpConns without a connection
	template atomic.Pointer[requestTemplate] // of all its requests, made from the first

	// Requests go round slots that keep one connection each: kube-proxy chooses a pod per connection. A request that
	// finds its slot empty, because the connection is busy or ended, dials.
	slots []atomic.Pointer[httpConn]
}

// newDirectSender makes the sender of a lane whose target is an http URL.
func newDirectSender(lane evidence.Lane, slots int, ports *LocalPorts) *directSender {
	s := &directSender{keep: lane.Kind().KeepsAlive(), ports: ports, slots: make([]atomic.Pointer[httpConn], slots)}
	if target, err := url.Parse(lane.Target); err == nil {
		s.address = net.JoinHostPort(target.Hostname(), cmp.Or(target.Port(), "80"))
	}
	return s
}

// send sends a request.
func (s *directSender) send(req *http.Request, n uint64, deadline time.Time) (reply, connInfo, error) {
	began := time.Now()
	f, err := s.templateFor(req)
	if err != nil {
		return reply{}, connInfo{}, err
	}
	slot := &s.slots[n%uint64(len(s.slots))]
	w, how, err := s.connect(slot, deadline)
	if err != nil {
		return reply{}, how, err
	}
	r, last, err := w.exchange(f, req)
	how.connErr = w.readErr
	if time.Since(began) >= resendTimer {
		how.resent = w.resent.since(w.conn)
	}
	if err != nil || last || !s.keep || !slot.CompareAndSwap(nil, w) {
		w.close()
	}
	return r, how, err
}

func (s *directSender) templateFor(req *http.Request) (*requestTemplate, error) {
	if f := s.template.Load(); f != nil {
		return f, nil
	}
	req.Close = !s.keep
	f, err := templateOf(req)
	if err == nil {
		s.template.Store(f)
	}
	return f, err
}

// connect gives the slot's connection if it is alive, and else a new one.
func (s *directSender) connect(slot *atomic.Pointer[httpConn], deadline time.Time) (*httpConn, connInfo, error) {
	if w := slot.Swap(nil); w != nil {
		if w.conn.SetDeadline(deadline) == nil && w.idle() {
			return w, connInfo{attempts: 1, reused: true, localPort: localPort(w.conn)}, nil
		}
		w.close()
	}
	// No keep-alive probes: a connection is used again before the first is due, and each option is a system call.
	dialled, err := s.ports.dial(context.Background(), net.Dialer{Deadline: deadline, KeepAlive: -1}, "tcp", s.address)
	if err != nil {
		var how connInfo
		var undialled *dialError
		if errors.As(err, &undialled) {
			how.localPort = undialled.port
		}
		return nil, how, err
	}
	how := connInfo{attempts: 1, localPort: localPort(dialled), connected: time.Now()}
	if err := dialled.SetDeadline(deadline); err != nil {
		dialled.Close()
		return nil, how, err
	}
	return s.newConn(dialled), how, nil
}

// close gives up the keep-alive connections.
func (s *directSender) close() {
	for i := range s.slots {
		if w := s.slots[i].Swap(nil); w != nil {
			w.close()
		}
	}
}
