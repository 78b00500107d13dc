package loadgen

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
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

func (s *netHTTP) exchange(q request) (answer, error) {
	began := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), q.deadline)
	defer cancel()
	var given connections
	var port atomic.Int32
	ctx = context.WithValue(ctx, dialled{}, &port)
	req := s.request(q.seq).WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: given.add}))
	var r reply
	got, err := s.transports[q.turn%uint64(len(s.transports))].RoundTrip(req)
	resent := 0
	if given.last != nil && time.Since(began) >= resendTimer { // asked before the whole reply is read, which may end the connection
		resent = given.last.resent.since(given.last.Conn)
	}
	if err == nil {
		r, err = readReply(got, s.userapp)
		got.Body.Close()
	}
	how := connInfo{attempts: given.count, reused: given.reused, connErr: firstErrorOf(given.last), resent: resent}
	if !given.reused {
		how.connected = given.at
	}
	how.localPort = int(port.Load())
	if given.last != nil {
		how.localPort = localPort(given.last)
	}
	return s.answer(r, how), err
}

// close gives up the keep-alive connections, also one that is still being dialled.
func (s *netHTTP) close() {
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
}

// Connections are those one request was given, one after the other.
type connections struct {
	count  int
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
