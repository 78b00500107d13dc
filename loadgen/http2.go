package loadgen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"example.com/rollcall/harness/evidence"
)

// sharedConns is how many connections of HTTP/2 a lane has. Most clients have one for each host, and so one pod until it ends: a lane is
// six of them, which reach each of three pods in three of four recordings. Of 100 requests per second that take 100 ms, 1.7 share each.
const sharedConns = 6

// checkHTTP2 returns why a lane cannot be loaded over HTTP/2, or nil.
func checkHTTP2(lane evidence.Lane, cfg Config) error {
	switch {
	case lane.Conn != evidence.Reused:
		return errors.New("requests share the connections of HTTP/2: none can be new for each")
	case lane.Resends:
		return errors.New("it resends, which no lane over HTTP/2 does")
	case lane.OverTLS() != (lane.Protocol == evidence.H2):
		return fmt.Errorf("%s is not for target %q: h2 is for https, and h2c for http", lane.Protocol.Name(), lane.Target)
	default:
		return checkHTTP(lane, cfg)
	}
}

// openHTTP2 returns the exchanger of a lane over HTTP/2, whose connections are opened when requests need them.
func openHTTP2(lane evidence.Lane, cfg Config, noted *connections) (exchanger, error) {
	s := &shared{direct: newHTTP(lane, cfg, noted)}
	if s.tls != nil {
		s.tls.NextProtos = []string{http2Name, "http/1.1"} // as most clients do: a server without HTTP/2 then says so
	}
	return s, nil
}

// A shared is an exchanger of requests that share connections, many at a time. It never resends one: a connection that takes no more gets
// no more, and the next one is opened in its place while the requests on it go on.
type shared struct {
	*direct
	places [sharedConns]sharedPlace
}

// A sharedPlace has one of the connections that a lane keeps.
type sharedPlace struct {
	mu  sync.Mutex
	now *opening // nil: the next request opens one
}

// An opening is a connection from when somebody began to open it.
type opening struct {
	over chan struct{} // closed when it is open, or could not be opened
	port uint16        // of the client; 0: unknown
	conn *http2Conn
	err  error
}

// join returns the connection of the place. The first one to get it has to open it.
func (p *sharedPlace) join() (o *opening, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first = p.now == nil; first {
		p.now = &opening{over: make(chan struct{})}
	}
	return p.now, first
}

// leave makes the next request open another connection in place of one that takes no more.
func (p *sharedPlace) leave(o *opening) {
	p.mu.Lock()
	if p.now == o {
		p.now = nil
	}
	p.mu.Unlock()
	if o.conn != nil {
		o.conn.retire()
	}
}

func (s *shared) exchange(q request, h *evidence.Hit) (failures []error) {
	p := &s.places[q.turn%sharedConns]
	for {
		o, opened, failures := s.reserve(p, &q, h)
		if len(failures) > 0 {
			s.noteFailure(failures[0])
			return s.failed(h, failures)
		}
		c := o.conn
		r, err := s.ask(c, q)
		switch {
		case err == nil, errors.As(err, new(UnspokenError)):
			c.answered(r.by)
		case unwritten(err):
			c.takeBack()
			p.leave(o)
			if h.Attempts, h.Connection = 0, 0; opened {
				return s.failed(h, c.failure(err))
			}
			continue // over the next connection: this one did not carry it
		default:
			inFlight := streamFault(err) == evidence.NoFault
			if errors.Is(err, context.DeadlineExceeded) {
				if inFlight = !c.heardSince(q.sent); inFlight {
					c.end(evidence.EndTimeout)
					p.leave(o)
				}
			}
			c.unanswered(inFlight)
		}
		s.judge(r, h)
		if time.Since(q.sent) >= resendTimer {
			h.Resent = c.resent.since(c.tcp)
		}
		if err != nil {
			return s.failed(h, c.failure(err))
		}
		return nil
	}
}

// ask sends a request over a connection that has a stream for it, and reads its reply.
func (s *shared) ask(c *http2Conn, q request) (r reply, err error) {
	ctx, cancel := context.WithDeadline(context.Background(), q.deadline)
	defer cancel()
	got, err := c.client.RoundTrip(s.request(q.seq).WithContext(ctx))
	if err != nil {
		return reply{}, err
	}
	defer got.Body.Close()
	return readReply(got, s.userapp)
}

// failed returns the errors of a request, unless HTTP/2 says what became of it, which it then writes into the hit.
func (s *shared) failed(h *evidence.Hit, failures []error) []error {
	if h.Fault = streamFault(failures[0]); h.Fault != evidence.NoFault {
		return nil
	}
	return failures
}

// reserve takes a stream of the connection of a place, which this request opened if there was none, and waits for one while the server
// allows no more: then the request is sent later, and its time begins later.
func (s *shared) reserve(p *sharedPlace, q *request, h *evidence.Hit) (o *opening, opened bool, failures []error) {
	for {
		o, opened = p.join()
		if opened {
			s.open(o, int(q.turn%sharedConns), q.deadline)
			close(o.over)
		} else if err := awaitUntil(o.over, q.deadline); err != nil {
			return nil, false, []error{err}
		}
		if o.err != nil {
			p.leave(o)
			if h.LocalPort = o.port; !errors.As(o.err, new(*dialError)) {
				h.Attempts = 1
			}
			return nil, opened, []error{o.err}
		}
		waited, err := o.conn.reserve(q.deadline)
		if waited {
			now := time.Now()
			q.sent, q.deadline = now, now.Add(q.deadline.Sub(q.sent))
			h.Sent = s.clock.at(now)
		}
		switch {
		case err == nil:
			o.conn.describe(h, q.sent, opened)
			return o, opened, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, opened, []error{err}
		}
		p.leave(o)
		if opened {
			return nil, opened, o.conn.failure(err)
		}
	}
}

// open opens a connection, which is open when the server has sent a frame: one that does not speak HTTP/2 is known before any request.
func (s *shared) open(o *opening, slot int, deadline time.Time) {
	dialled, err := s.ports.dial(context.Background(), net.Dialer{Deadline: deadline, KeepAlive: -1}, s.address)
	var undialled *dialError
	switch {
	case errors.As(err, &undialled):
		o.port = uint16(undialled.port)
		fallthrough
	case err != nil:
		o.err = err
		return
	}
	c := &http2Conn{Conn: dialled, tcp: dialled, opened: time.Now(), began: make(chan struct{})}
	o.port = localPort(dialled)
	c.noted = s.kept.opened(c.opened, slot, int(o.port))
	if o.err = s.begin(c, deadline); o.err != nil {
		c.end(endOf(o.err))
		c.Close()
		return
	}
	o.conn = c
}

// begin makes net/http speak HTTP/2 over a connection, over TLS or not.
func (s *shared) begin(c *http2Conn, deadline time.Time) (err error) {
	if s.tls != nil {
		if err := s.secureHTTP2(c, deadline); err != nil {
			return err
		}
	}
	only := new(http.Protocols)
	only.SetUnencryptedHTTP2(true) // the transport does not know of TLS: it is below
	transport := http.Transport{Protocols: only, DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return c, nil }}
	if c.client, err = transport.NewClientConn(context.Background(), "http", s.address); err != nil {
		return err
	}
	if err := awaitUntil(c.began, deadline); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// secureHTTP2 makes the TLS handshake of a connection, in which the server has to choose HTTP/2.
func (s *shared) secureHTTP2(c *http2Conn, deadline time.Time) error {
	if err := c.tcp.SetDeadline(deadline); err != nil {
		return err
	}
	secured, err := s.handshake(c.tcp)
	if err != nil {
		return err
	}
	c.Conn, c.handshake = secured, uint32(time.Since(c.opened).Microseconds())
	if chosen := secured.ConnectionState().NegotiatedProtocol; chosen != http2Name {
		return UnspokenError(fmt.Sprintf("its TLS handshake ended without HTTP/2, with %q", chosen))
	}
	return c.tcp.SetDeadline(time.Time{})
}

// close closes the connections that are kept.
func (s *shared) close() {
	for i := range s.places {
		if o := s.places[i].now; o != nil { // no request is in flight
			s.places[i].leave(o)
		}
	}
}

// awaitUntil waits for the end of something.
func awaitUntil(over <-chan struct{}, deadline time.Time) error {
	limit := time.NewTimer(time.Until(deadline))
	defer limit.Stop()
	select {
	case <-over:
		return nil
	case <-limit.C:
		return os.ErrDeadlineExceeded
	}
}
