package loadgen

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A netHTTP sends through net/http, for lanes that resend as that does.
type netHTTP struct {
	httpLane

	// A transport prefers the connection it used last, so one transport would send nearly all requests of a
	// reused lane over one connection, to one pod. Requests therefore go round transports that keep one
	// connection each. A connection that is busy does not hold up the next request, which dials another.
	transports []*http.Transport
}

func newNetHTTP(l httpLane, slots int, cfg Config) *netHTTP {
	s := &netHTTP{httpLane: l}
	dialer := net.Dialer{Timeout: cfg.Timeout}
	for range slots {
		s.transports = append(s.transports, &http.Transport{
			Proxy:               nil, // HTTP_PROXY would be measured in the Service's place
			DialContext:         dialWith(dialer, cfg.Ports, l.Address),
			DisableKeepAlives:   !l.Kind().KeepsAlive(),
			MaxIdleConnsPerHost: 1,
			DisableCompression:  true,
		})
	}
	return s
}

func dialWith(dialer net.Dialer, ports *LocalPorts, address string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialled, err := ports.dial(ctx, dialer, network, cmp.Or(address, addr))
		if err != nil {
			return nil, err
		}
		return &conn{Conn: dialled}, nil
	}
}

func (s *netHTTP) exchange(q request, h *evidence.Hit) (failures []error) {
	ctx, cancel := context.WithDeadline(context.Background(), q.deadline)
	defer cancel()
	var given connections
	var port atomic.Int32
	ctx = context.WithValue(ctx, dialled{}, &port)
	req := s.request(q.seq).WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: given.add}))
	var r reply
	got, err := s.transports[q.turn%uint64(len(s.transports))].RoundTrip(req)
	if given.last != nil && time.Since(q.sent) >= resendTimer { // asked before the whole reply is read, which may end the connection
		h.Resent = given.last.resent.since(given.last.Conn)
	}
	if err == nil {
		r, err = readReply(got, s.userapp)
		got.Body.Close()
	}
	s.judge(r, h)
	h.Attempts, h.Reused, h.LocalPort = given.count, given.reused, int(port.Load())
	if given.count > 0 && !given.reused {
		h.Connect = given.at.Sub(q.sent).Truncate(time.Microsecond)
	}
	if given.last != nil {
		h.LocalPort = localPort(given.last)
	}
	if err != nil {
		return []error{err, firstErrorOf(given.last)}
	}
	return nil
}

// close gives up the keep-alive connections, also one that is still being dialled.
func (s *netHTTP) close() {
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
}

// Connections are those one request was given, one after the other.
type connections struct {
	count  int32
	at     time.Time // when it was given the last one
	last   *conn
	reused bool // last had carried a request before
}

func (c *connections) add(info httptrace.GotConnInfo) {
	c.count++
	c.at = time.Now()
	c.last, _ = info.Conn.(*conn)
	c.reused = info.Reused
	if c.last != nil {
		// net/http also calls a connection reused that was dialled, never needed and put by.
		c.reused, c.last.carried = c.last.carried, true
	}
}
