package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"rollcall/harness/evidence"
)

// Headers of a reply by which the app names itself.
const (
	serviceHeader = "X-Rollcall-Service"
	versionHeader = "X-Rollcall-Version"
	podHeader     = "X-Rollcall-Pod"
	nodeHeader    = "X-Rollcall-Node"
)

// seqHeader is where vegeta puts a request's number within the share, and where the app reads that within the lane.
const seqHeader = "X-Vegeta-Seq"

// reusedConns is how many connections a reused lane keeps alive, all its agents together.
const reusedConns = 20

// A client is the http.RoundTripper of one lane. It reads each reply to its end before it returns, so that a
// request is one call, and keeps what it saw on the tape.
type client struct {
	lane    evidence.Lane
	share   share
	service string
	timeout time.Duration
	clock   clock
	began   time.Time // when the load did
	tape    *tape
	foreign *reader // of an app that is not Rollcall's own; nil: it is

	// A transport prefers the connection it used last, so one transport would send nearly all requests of a
	// reused lane over one connection, to one pod. Requests therefore go round transports that keep one
	// connection each. A connection that is busy does not hold up the next request, which dials another.
	transports []*http.Transport
}

func newClient(lane evidence.Lane, cfg Config) *client {
	c := &client{
		lane:    lane,
		share:   shareOf(lane, cfg.Index),
		service: cfg.Service,
		timeout: cfg.Timeout,
		clock:   newClock(cfg.Began),
		tape:    newTape(),
	}
	if lane.Vantage != evidence.FromControl {
		c.foreign = newReader(cfg.Dialect)
	}
	count := 1
	if lane.Conn == evidence.Reused {
		count = c.share.part(reusedConns)
	}
	dialer := net.Dialer{Timeout: cfg.Timeout}
	for range count {
		c.transports = append(c.transports, &http.Transport{
			Proxy:               nil, // HTTP_PROXY would be measured in the Service's place
			DialContext:         dialWith(dialer),
			DisableKeepAlives:   lane.Conn == evidence.Fresh,
			MaxIdleConnsPerHost: 1,
			DisableCompression:  true,
		})
	}
	return c
}

func dialWith(dialer net.Dialer) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialled, err := local.dial(ctx, dialer, network, addr)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: dialled}, nil
	}
}

// RoundTrip sends a request of vegeta's and returns the reply without its body.
//
// The deadline is set here and not as http.Client.Timeout: above a RoundTripper that is not its own, net/http
// races that one with a legacy cancellation, and whether the timeout has a type depends on who wins.
func (c *client) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := time.Now()
	n, err := strconv.ParseUint(req.Header.Get(seqHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("loadgen: read %s: %w", seqHeader, err)
	}
	seq := c.share.number(n)
	req.Header.Set(seqHeader, strconv.FormatUint(seq, 10)) // vegeta made the request for this one call
	c.tape.begin()

	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	defer cancel()
	var given connections
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: given.add}))
	req.GetBody = nil // net/http resends what it can rewind
	if c.foreign != nil && !c.lane.Resends {
		req.Body = unrepeatable{} // and what has no body at all
	}
	reply, err := c.transports[n%uint64(len(c.transports))].RoundTrip(req)
	var by evidence.Server
	if err == nil {
		by, err = c.readReply(reply)
		reply.Body.Close()
		reply.Body = http.NoBody
	}

	hit := evidence.Hit{
		Lane:      c.lane.ID,
		Seq:       seq,
		Due:       c.clock.at(c.began) + c.share.due(n),
		Sent:      c.clock.at(sent),
		Took:      time.Since(sent),
		Reused:    given.reused,
		Attempts:  given.count,
		LocalPort: given.localPort(),
	}
	if reply != nil {
		hit.Status, hit.By = reply.StatusCode, by
	}
	var trouble error
	var undialled *dialError
	switch {
	case err != nil:
		if errors.As(err, &undialled) {
			hit.LocalPort = undialled.port
		}
		var known bool
		if hit.Fault, known = faultOf(err, deathOf(given.last)); !known {
			trouble = err
		}
	case !c.goodStatus(hit.Status):
		hit.Fault = evidence.BadStatus
	case c.foreign != nil:
		if c.foreign.Names() && hit.By.Version == "" {
			hit.Fault = evidence.WrongServer
		}
	case reply.Header.Get(serviceHeader) != c.service || hit.By.Version == "" || hit.By.Pod == "" || hit.By.Node == "":
		hit.Fault = evidence.WrongServer
	}
	c.tape.keep(hit, trouble)
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// http is what vegeta sends through. A redirect is not followed: it is a bad status, and following it would
// send the same sequence number twice.
func (c *client) http() *http.Client {
	return &http.Client{
		Transport:     c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// close gives up the kept-alive connections, also one that is still being dialled.
func (c *client) close() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// readReply reads a reply to its end, and who gave it, as far as it says so.
func (c *client) readReply(reply *http.Response) (by evidence.Server, err error) {
	if c.foreign != nil {
		by.Version, err = c.foreign.read(reply)
		return by, err
	}
	_, err = io.Copy(io.Discard, reply.Body)
	return serverOf(reply), err
}

func (c *client) goodStatus(status int) bool {
	if c.foreign != nil {
		return c.foreign.good(status)
	}
	return status >= 200 && status <= 299
}

// unrepeatable is an empty body that net/http cannot rewind: a request that has one is not sent again when the kept
// connection it was given turns out dead.
type unrepeatable struct{}

func (unrepeatable) Read([]byte) (int, error) { return 0, io.EOF }
func (unrepeatable) Close() error             { return nil }

func serverOf(reply *http.Response) evidence.Server {
	return evidence.Server{
		Version: reply.Header.Get(versionHeader),
		Pod:     reply.Header.Get(podHeader),
		Node:    reply.Header.Get(nodeHeader),
	}
}

// Connections are those one request was given, one after the other.
type connections struct {
	count  int
	last   *conn
	reused bool // last had carried a request before
}

func (c *connections) add(info httptrace.GotConnInfo) {
	c.count++
	c.last, _ = info.Conn.(*conn)
	c.reused = info.Reused
	if c.last != nil {
		// net/http also calls a connection reused that was dialled, never needed and put by.
		c.reused, c.last.carried = c.last.carried, true
	}
}

func (c *connections) localPort() int {
	if c.last == nil {
		return 0
	}
	addr, ok := c.last.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return addr.Port
}
