package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
)

// reopenEvery is how long after a try to open a connection the next one follows, at the earliest.
const reopenEvery = 100 * time.Millisecond

// checkWebSocket returns why a lane cannot be loaded with messages over WebSockets, or nil.
func checkWebSocket(lane evidence.Lane, cfg Config) error {
	user := cfg.UserHTTP
	switch {
	case lane.Conn != evidence.Reused:
		return errors.New("a WebSocket carries many messages: its connections are kept")
	case lane.Resends:
		return errors.New("a message is never sent again")
	case user != nil && user.method() != http.MethodGet:
		return fmt.Errorf("a WebSocket begins with a GET, not with a %s", user.method())
	case user != nil && user.Pointer+user.Pattern != "":
		return errors.New("a WebSocket can name its version in a header of its handshake alone")
	default:
		return checkHTTP(lane, cfg)
	}
}

func openWebSockets(lane evidence.Lane, cfg Config, noted *connections) (exchanger, error) {
	s := newWebSockets(lane, cfg, noted)
	s.places = make([]socketPlace, reusedConns)
	for i := range s.places {
		s.places[i] = socketPlace{number: i, opened: make(chan struct{})}
		s.running.Go(func() { s.keep(&s.places[i]) })
	}
	return s, nil
}

// askWebSocket sends one message over a connection of its own.
func askWebSocket(lane evidence.Lane, cfg Config, q request, h *evidence.Hit) (failures []error) {
	s := newWebSockets(lane, cfg, nil)
	defer s.end()
	k, err := s.dial(0)
	if err != nil {
		return refusal(err, h)
	}
	go func() { k.end(k.read()) }()
	defer k.leave()
	failures, _ = s.over(k, q, h)
	return failures
}

// A webSockets is an exchanger of messages over connections that it keeps open: a pod is chosen when one is opened, and a message needs an
// open one. Message seq goes over the connection in place seq % len(places), by which also a server's log tells its connection. No message
// is sent twice.
type webSockets struct {
	*direct
	rows    *connections
	timeout time.Duration // of what it takes to open a connection
	places  []socketPlace
	ending  context.Context
	end     context.CancelFunc
	running sync.WaitGroup // whoever keeps a place
}

func newWebSockets(lane evidence.Lane, cfg Config, noted *connections) *webSockets {
	s := &webSockets{direct: newHTTP(lane, cfg, nil), rows: noted, timeout: cfg.Timeout}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// A socketPlace is one in which a connection is kept open.
type socketPlace struct {
	number int
	mu     sync.Mutex
	now    *socket       // nil: none is open
	opened chan struct{} // closed while one is
	failed error         // why the last try to open one failed; nil: it did not
}

// keep keeps a connection open in a place to the end of the load. It opens the next one at once, and if that fails, again and again.
func (s *webSockets) keep(p *socketPlace) {
	for next := time.NewTimer(0); ; {
		select {
		case <-s.ending.Done():
		case <-next.C:
		}
		if s.ending.Err() != nil {
			return
		}
		next.Reset(reopenEvery) // so that one that ended later is replaced at once
		k, err := s.dial(p.number)
		p.set(k, err)
		if err != nil {
			continue
		}
		if s.ending.Err() != nil {
			k.leave() // it was opened while close looked
		}
		err = k.read()
		p.set(nil, nil)
		k.end(err)
	}
}

func (p *socketPlace) set(now *socket, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case now != nil:
		close(p.opened)
	case p.now != nil:
		p.opened = make(chan struct{})
	}
	p.now, p.failed = now, failed
}

func (p *socketPlace) current() *socket {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// await returns the connection in the place, once it is open. The error is why it was not by the deadline.
func (p *socketPlace) await(deadline time.Time) (*socket, error) {
	for {
		p.mu.Lock()
		now, opened, failed := p.now, p.opened, p.failed
		p.mu.Unlock()
		left := time.Until(deadline)
		switch {
		case left <= 0:
			return nil, cmp.Or(failed, os.ErrDeadlineExceeded)
		case now != nil:
			return now, nil
		}
		timer := time.NewTimer(left)
		select {
		case <-opened:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *webSockets) exchange(q request, h *evidence.Hit) (failures []error) {
	for {
		k, err := s.places[q.seq%uint64(len(s.places))].await(q.deadline)
		if err != nil {
			return refusal(err, h)
		}
		if failures, sent := s.over(k, q, h); sent {
			return failures
		}
	}
}

// over sends a message over a connection and waits for its reply, unless the connection has ended.
func (s *webSockets) over(k *socket, q request, h *evidence.Hit) (failures []error, sent bool) {
	m := k.send(q.seq, q.deadline)
	if m == nil {
		return nil, false
	}
	h.Attempts, h.Reused, h.LocalPort, h.Connection = 1, m.index > 1, k.port, k.noted.number()
	if wait := k.opened.Sub(q.sent); wait > 0 {
		h.Connect, h.HandshakeMicros = wait.Truncate(time.Microsecond), k.handshake
	}
	got := <-m.done
	if time.Since(q.sent) >= resendTimer {
		h.Resent = k.w.resent.since(k.w.conn)
	}
	switch {
	case len(got.failures) > 0:
	case got.returned:
		h.Fault = evidence.Returned
	default:
		h.By = got.by
		if !s.isApp(got.reply) {
			h.Fault = evidence.WrongServer
		}
	}
	return got.failures, true
}

// refusal returns the failure of a message for which no connection was open.
func refusal(err error, h *evidence.Hit) (failures []error) {
	var refused *notUpgradedError
	if errors.As(err, &refused) {
		h.Fault, h.Status = evidence.BadStatus, int16(refused.status)
		return nil
	}
	return []error{err}
}

// close closes the connections.
func (s *webSockets) close() {
	s.end()
	for i := range s.places {
		s.running.Go(func() {
			if k := s.places[i].current(); k != nil {
				k.leave()
			}
		})
	}
	s.running.Wait()
}
