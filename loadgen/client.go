package loadgen

import (
	"fmt"
	"net/http"
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

// seqHeader is where vegeta puts a request's number within the plan, and where the app reads that within the lane.
const seqHeader = "X-Vegeta-Seq"

// reusedConns is how many connections a reused lane keeps alive.
const reusedConns = 20

// A client is the http.RoundTripper of one lane. It reads each reply to its end before it returns, so that a
// request is one call, and keeps what it saw in the buffer.
type client struct {
	lane    evidence.Lane
	plan    plan
	service string
	timeout time.Duration
	clock   clock
	began   time.Time // when the load did
	buffer  *buffer
	userapp *replyReader // how a userapp names its version; nil: the app is Rollcall's own
	sender  sender
}

func newClient(lane evidence.Lane, cfg Config) *client {
	if cfg.Ports == nil {
		cfg.Ports = NewLocalPorts()
	}
	c := &client{
		lane:    lane,
		plan:    planOf(lane),
		service: cfg.Service,
		timeout: cfg.Timeout,
		clock:   newClock(cfg.Began),
		buffer:  newBuffer(),
	}
	if lane.Kind().AsksApp() {
		c.userapp = newReplyReader(cfg.Protocol)
	}
	count := 1
	if lane.Kind().KeepsAlive() {
		count = reusedConns
	}
	c.sender = senderOf(lane, count, cfg, c.userapp)
	return c
}

// RoundTrip sends a request of vegeta's and returns the status of the reply.
func (c *client) RoundTrip(req *http.Request) (*http.Response, error) {
	n, err := strconv.ParseUint(req.Header.Get(seqHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("loadgen: read %s: %w", seqHeader, err)
	}
	seq := c.plan.number(n)
	req.Header.Set(seqHeader, strconv.FormatUint(seq, 10)) // vegeta made the request for this one call
	c.buffer.begin(seq)

	sent := time.Now() // after what is noted of it, which may take a while on a busy disk
	r, how, err := c.sender.send(req, n, sent.Add(c.timeout))
	hit := evidence.Hit{
		Lane:      c.lane.ID,
		Seq:       seq,
		Due:       c.clock.at(c.began) + c.plan.due(n),
		Sent:      c.clock.at(sent),
		Took:      time.Since(sent),
		Reused:    how.reused,
		Attempts:  how.attempts,
		LocalPort: how.localPort,
		Status:    r.status,
		By:        r.by,
		Resent:    uint32(how.resent),
	}
	if !how.connected.IsZero() {
		hit.Connect = how.connected.Sub(sent).Truncate(time.Microsecond)
	}
	var trouble error
	switch {
	case err != nil:
		var known bool
		if hit.Fault, known = faultOf(err, how.connErr); !known {
			trouble = err
		}
	case !c.goodStatus(hit.Status):
		hit.Fault = evidence.BadStatus
	case c.userapp != nil:
		if c.userapp.Names() && hit.By.Version == "" {
			hit.Fault = evidence.WrongServer
		}
	case r.service != c.service || hit.By.Version == "" || hit.By.Pod == "" || hit.By.Node == "":
		hit.Fault = evidence.WrongServer
	}
	c.buffer.add(hit, trouble)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: r.status, Body: http.NoBody}, nil
}

// http is what vegeta sends through. A redirect is not followed: it is a bad status, and following it would
// send the same sequence number twice.
func (c *client) http() *http.Client {
	return &http.Client{
		Transport:     c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// close gives up the keep-alive connections.
func (c *client) close() { c.sender.close() }

func (c *client) goodStatus(status int) bool {
	if c.userapp != nil {
		return c.userapp.good(status)
	}
	return status >= 200 && status <= 299
}

func serverOf(reply *http.Response) evidence.Server {
	return evidence.Server{
		Version: reply.Header.Get(versionHeader),
		Pod:     reply.Header.Get(podHeader),
		Node:    reply.Header.Get(nodeHeader),
	}
}
