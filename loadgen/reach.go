package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// FreshClient returns a client that opens a connection for each request. A redirect is a reply, as it is to lanes.
func FreshClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Request sends one request to an echo app and returns who gave the good reply; anything else is an error. Nothing is sent again.
func Request(ctx context.Context, client *http.Client, target string) (evidence.Server, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, nil)
	if err != nil {
		return evidence.Server{}, fmt.Errorf("loadgen: request: %w", err)
	}
	reply, err := client.Do(req)
	if err != nil {
		return evidence.Server{}, fmt.Errorf("loadgen: request: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return evidence.Server{}, fmt.Errorf("loadgen: request %s: %s", target, reply.Status)
	}
	_, err = io.Copy(io.Discard, reply.Body) // so that the connection can be kept
	return serverOf(reply), err
}

// Request sends one request to a userapp, as a lane of that target and address over fresh connections does, and returns the version
// that gave the good reply, if the reply names one. Without a good reply the error is a [NoReplyError].
func (p *UserHTTP) Request(target, address string, timeout time.Duration) (version string, err error) {
	return p.RequestOn(evidence.Lane{Target: target, Address: address}, timeout)
}

// RequestOn is [UserHTTP.Request] by the protocol of a lane.
func (p *UserHTTP) RequestOn(lane evidence.Lane, timeout time.Duration) (version string, err error) {
	lane.ID, lane.Vantage, lane.Resends = "ask", evidence.FromHost, false
	if lane.Protocol == evidence.HTTP {
		lane.Conn = evidence.Fresh
	}
	protocol, cfg := protocols[lane.Protocol], Config{UserHTTP: p, Ports: NewLocalPorts(), Timeout: timeout}
	if err := protocol.check(lane, cfg); err != nil {
		return "", fmt.Errorf("loadgen: request: %w", err)
	}
	ask := protocol.ask
	if ask == nil {
		c, err := protocol.open(lane, cfg, nil)
		if err != nil {
			return "", fmt.Errorf("loadgen: request: %w", err)
		}
		defer c.close()
		ask = func(_ evidence.Lane, _ Config, q request, h *evidence.Hit) []error { return c.exchange(q, h) }
	}
	var hit evidence.Hit
	now, target := time.Now(), lane.Target
	failures := ask(lane, cfg, request{sent: now, deadline: now.Add(timeout)}, &hit)
	none := &NoReplyError{Opened: hit.Attempts > 0, Because: "loadgen: request " + target + ": "}
	switch {
	case len(failures) > 0:
		none.Fault, _ = faultFrom(lane.Vantage, failures...)
		none.Because += failures[0].Error()
		ended := none.Fault == evidence.Reset || none.Fault == evidence.Closed // maybe before the request was written
		none.Opened, none.TLS = none.Opened || ended, ended && !lane.OverTLS() && speaksTLS(lane)
	case hit.Fault == evidence.BadStatus:
		status := int(hit.Status)
		*none = NoReplyError{Status: status, TLS: status == http.StatusBadRequest && !lane.OverTLS() && speaksTLS(lane),
			Because: none.Because + strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))}
		if lane.Protocol == evidence.WebSocket {
			none.Because += ", where a WebSocket begins with 101"
		}
	case hit.Fault != evidence.NoFault:
		none.Fault = hit.Fault
		none.Because += "the reply names no version where it should"
	default:
		return hit.By.Version, nil
	}
	return "", none
}

// RequestPatiently is [UserHTTP.RequestOn] for an app whose first replies may take long: if a connection opens and no reply comes in
// [DefaultTimeout], it asks once more, for up to [Patience].
func (p *UserHTTP) RequestPatiently(lane evidence.Lane) (version string, err error) {
	return p.requestTwice(lane, DefaultTimeout)
}

func (p *UserHTTP) requestTwice(lane evidence.Lane, first time.Duration) (version string, err error) {
	version, err = p.RequestOn(lane, first)
	var none *NoReplyError
	if errors.As(err, &none) && none.Fault == evidence.Timeout && none.Opened {
		return p.RequestOn(lane, Patience)
	}
	return version, err
}

// A reachRequest is the body of POST /v3/reach.
type reachRequest struct {
	Lane     evidence.Lane `json:"lane"`
	UserHTTP *UserHTTP     `json:"user_http,omitempty"`
}

// Reach makes the agent send one request to a lane's target; p is nil for the echo app. If there is no good reply, the error is a
// [NoReplyError]. The target is in the body, since the URL of a call appears in errors.
func (r Remote) Reach(ctx context.Context, lane evidence.Lane, p *UserHTTP) error {
	var none *NoReplyError
	if err := r.call(ctx, "reach", http.MethodPost, reachRequest{lane, p}, decodeInto(&none)); err != nil {
		return err
	}
	if none != nil {
		return none
	}
	return nil
}

// reach serves POST /v3/reach: why the target gave no good reply, or null.
func (a *Agent) reach(w http.ResponseWriter, r *http.Request) {
	var q reachRequest
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxStartRequest)).Decode(&q)
	switch {
	case err != nil:
	case q.Lane.Protocol.RPC():
		err = RequestLinked(q.Lane, q.UserHTTP)
	case q.UserHTTP != nil:
		_, err = q.UserHTTP.RequestPatiently(q.Lane)
	default:
		_, err = Request(r.Context(), FreshClient(DefaultTimeout), q.Lane.Target)
	}
	var none *NoReplyError
	if err != nil && !errors.As(err, &none) {
		none = &NoReplyError{Because: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(none) // the caller is gone
}
