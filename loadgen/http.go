package loadgen

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/rollcall/harness/evidence"
)

// Headers of a reply by which the app names itself.
const (
	serviceHeader = "X-Rollcall-Service"
	versionHeader = "X-Rollcall-Version"
	podHeader     = "X-Rollcall-Pod"
	nodeHeader    = "X-Rollcall-Node"
)

// Headers of a request: its lane, with the suffix of the recording, and its number in the lane. Vegeta gives those of an attack the
// same names.
const (
	laneHeader = "X-Vegeta-Attack"
	seqHeader  = "X-Vegeta-Seq"
)

// reusedConns is how many connections a reused lane keeps alive.
const reusedConns = 20

// checkHTTP returns why a lane cannot be loaded over HTTP, or nil.
func checkHTTP(lane evidence.Lane, cfg Config) error {
	target, err := url.Parse(lane.Target)
	switch {
	case err != nil:
		return err
	case !slices.Contains([]string{"http", "https"}, target.Scheme) || target.Host == "":
		return fmt.Errorf("target %q is not an http or https URL", lane.Target)
	case lane.Conn != evidence.Fresh && lane.Conn != evidence.Reused:
		return fmt.Errorf("unknown kind of connection %q", lane.Conn)
	case lane.Resends && !lane.Kind().KeepsAlive():
		return errors.New("it resends, but keeps no connection that could die")
	case cfg.UserHTTP != nil:
		return cfg.UserHTTP.Check()
	default:
		return nil
	}
}

func openHTTP(lane evidence.Lane, cfg Config, noted *connections) (exchanger, error) {
	return newHTTP(lane, cfg, noted), nil
}

// newHTTP returns the exchanger of a lane. It opens connections when requests need them.
func newHTTP(lane evidence.Lane, cfg Config, noted *connections) *direct {
	slots := 1
	if lane.Kind().KeepsAlive() {
		slots = reusedConns
	}
	l := httpLane{Lane: lane, named: lane.ID + cfg.LaneSuffix, service: cfg.Service, header: cfg.Header}
	l.target, _ = url.Parse(lane.Target) // no error: checked by checkHTTP
	if lane.RequestsControlURL() {
		cfg.UserHTTP, cfg.Note = cfg.UserHTTP.OfControl(), nil // its certificate is not the app's
	}
	if lane.Kind().RequestsApp() || lane.RequestsControlURL() {
		l.userapp = newReplyReader(cfg.UserHTTP)
	}
	return newDirect(l, slots, cfg, noted)
}

// An httpLane is a lane with its parsed target and what makes a reply good.
type httpLane struct {
	evidence.Lane
	target  *url.URL
	named   string // in requests
	service string
	header  http.Header  // more headers of requests
	userapp *replyReader // finds a userapp's version; nil: the app is the echo app
}

// request returns the request with a number. A POST has a body, so that nobody sends it again. One to a userapp is as its UserHTTP
// says.
func (l httpLane) request(seq uint64) *http.Request {
	req := &http.Request{Method: l.Kind().Method(), URL: l.target, Host: l.target.Host, Close: !l.Kind().KeepsAlive(),
		Header: http.Header{laneHeader: {l.named}, seqHeader: {strconv.FormatUint(seq, 10)}}}
	maps.Copy(req.Header, l.header)
	if user := l.target.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	if l.userapp != nil {
		l.userapp.applyTo(req)
	} else if req.Method == http.MethodPost {
		const body = "rollcall"
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	return req
}

// A reply is what is kept of an HTTP reply.
type reply struct {
	status  int // 0: there was no reply
	service string
	by      evidence.Server
}

func replyOf(got *http.Response) reply {
	return reply{status: got.StatusCode, service: got.Header.Get(serviceHeader), by: serverOf(got)}
}

// readReply reads a reply to its end; app is nil for the echo app.
func readReply(got *http.Response, app *replyReader) (r reply, err error) {
	if app != nil {
		r.status = got.StatusCode
		r.by.Version, err = app.read(got)
		return r, err
	}
	_, err = io.Copy(io.Discard, got.Body)
	return replyOf(got), err
}

func serverOf(reply *http.Response) evidence.Server {
	return evidence.Server{
		Version: reply.Header.Get(versionHeader),
		Pod:     reply.Header.Get(podHeader),
		Node:    reply.Header.Get(nodeHeader),
	}
}

// judge writes a reply into the hit, and the fault if the reply is not good.
func (l httpLane) judge(r reply, h *evidence.Hit) {
	h.Status, h.By = int16(r.status), r.by
	switch {
	case l.userapp != nil && !l.userapp.good(r.status), l.userapp == nil && (r.status < 200 || r.status > 299):
		h.Fault = evidence.BadStatus
	case !l.isApp(r):
		h.Fault = evidence.WrongServer
	}
}

// isApp reports whether a reply is by the app that was asked.
func (l httpLane) isApp(r reply) bool {
	if l.userapp != nil {
		return !l.userapp.Names() || r.by.Version != ""
	}
	return r.service == l.service && r.by.Version != "" && r.by.Pod != "" && r.by.Node != ""
}

func localPort(c net.Conn) uint16 {
	addr, ok := c.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return uint16(addr.Port)
}
