package loadgen

import (
	"errors"
	"fmt"
	"io"
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

// Headers of a request: the lane, and the number in it. They are named as vegeta names those of an attack.
const (
	laneHeader = "X-Vegeta-Attack"
	seqHeader  = "X-Vegeta-Seq"
)

// reusedConns is how many connections a reused lane keeps alive.
const reusedConns = 20

// checkHTTP finds what cannot be asked over HTTP.
func checkHTTP(lane evidence.Lane) error {
	target, err := url.Parse(lane.Target)
	switch {
	case err != nil:
		return err
	case !slices.Contains([]string{"http", "https"}, target.Scheme) || target.Host == "":
		return fmt.Errorf("target %q is no http or https URL", lane.Target)
	case lane.Conn != evidence.Fresh && lane.Conn != evidence.Reused:
		return fmt.Errorf("unknown kind of connection %q", lane.Conn)
	case lane.Resends && !lane.Kind().KeepsAlive():
		return errors.New("it resends, but keeps no connection that could die")
	default:
		return nil
	}
}

// openHTTP makes the exchanger of a lane.
func openHTTP(lane evidence.Lane, cfg Config) exchanger {
	slots := 1
	if lane.Kind().KeepsAlive() {
		slots = reusedConns
	}
	l := httpLane{Lane: lane, service: cfg.Service}
	l.target, _ = url.Parse(lane.Target) // which was checked
	if lane.Kind().AsksApp() {
		l.userapp = newReplyReader(cfg.UserHTTP)
	}
	return newDirect(l, slots, cfg)
}

// An httpLane is what is asked over HTTP, and which replies are good.
type httpLane struct {
	evidence.Lane
	target  *url.URL
	service string
	userapp *replyReader // how a userapp names its version; nil: the app is Rollcall's own
}

// request makes a request. A POST has a body, which nobody sends again. Those to a userapp are what it is used to.
func (l httpLane) request(seq uint64) *http.Request {
	req := &http.Request{Method: l.Kind().Method(), URL: l.target, Host: l.target.Host, Close: !l.Kind().KeepsAlive(),
		Header: http.Header{laneHeader: {l.ID}, seqHeader: {strconv.FormatUint(seq, 10)}}}
	if user := l.target.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	if l.userapp != nil {
		l.userapp.shape(req)
	} else if req.Method == http.MethodPost {
		const body = "rollcall"
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	return req
}

// A reply is what is read of one.
type reply struct {
	status  int // 0: there was none
	service string
	by      evidence.Server
}

func replyOf(got *http.Response) reply {
	return reply{status: got.StatusCode, service: got.Header.Get(serviceHeader), by: serverOf(got)}
}

// readReply reads one to its end. The app is nil for Rollcall's own.
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

// judge notes a reply, and what the fault is of one that is not good.
func (l httpLane) judge(r reply, h *evidence.Hit) {
	h.Status, h.By = r.status, r.by
	switch {
	case l.userapp != nil && !l.userapp.good(r.status), l.userapp == nil && (r.status < 200 || r.status > 299):
		h.Fault = evidence.BadStatus
	case l.userapp != nil && l.userapp.Names() && r.by.Version == "",
		l.userapp == nil && (r.service != l.service || r.by.Version == "" || r.by.Pod == "" || r.by.Node == ""):
		h.Fault = evidence.WrongServer
	}
}

func localPort(c net.Conn) int {
	addr, ok := c.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return addr.Port
}
