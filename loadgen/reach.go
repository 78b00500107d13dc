package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// Request is [UserHTTP.RequestOn] over HTTP and a new connection, to a target at an address.
func (p *UserHTTP) Request(target, address string, timeout time.Duration) (version string, err error) {
	return p.RequestOn(evidence.Lane{Conn: evidence.Fresh, Target: target, Address: address}, timeout)
}

// RequestOn sends one request to a userapp, as a lane of that protocol, target and address does, and returns the version that gave the good
// reply, if the reply names one. Without a good reply the error is a [NoReplyError]. p is nil for Rollcall's own app, which is asked by
// RPC.
func (p *UserHTTP) RequestOn(lane evidence.Lane, timeout time.Duration) (version string, err error) {
	lane.ID, lane.Vantage, lane.Node = "ask", evidence.FromHost, ""
	if lane.Protocol == evidence.HTTP {
		lane.Conn, lane.Resends = evidence.Fresh, false
	}
	cfg, status := Config{UserHTTP: p, Ports: NewLocalPorts(), Timeout: timeout}, ""
	if lane.Protocol.RPC() { // whose status an event has
		cfg.Note = func(e evidence.Event) { status = e.Detail }
	}
	speaks, known := protocols[lane.Protocol]
	if !known {
		return "", fmt.Errorf("loadgen: request: this build does not speak %s", lane.Protocol.Name())
	}
	if err := speaks.check(lane, cfg); err != nil {
		return "", fmt.Errorf("loadgen: request: %w", err)
	}
	ask := speaks.ask
	if ask == nil {
		c, err := speaks.open(lane, cfg, nil)
		if err != nil {
			return "", fmt.Errorf("loadgen: request: %w", err)
		}
		defer c.close()
		ask = func(_ evidence.Lane, _ Config, q request, h *evidence.Hit) []error { return c.exchange(q, h) }
	}
	var hit evidence.Hit
	now := time.Now()
	failures := ask(lane, cfg, request{sent: now, deadline: now.Add(timeout)}, &hit)
	hit.Took = time.Since(now)
	if none := noReply(lane, hit, failures); none != nil {
		if status != "" {
			none.Because = "loadgen: request " + lane.Target + ": " + status
		}
		if status != "" && none.Status > 0 {
			none.Status, none.Unspoken = 0, "the RPC ends with "+status
		}
		return "", none
	}
	return hit.By.Version, nil
}

// RequestPatiently is [UserHTTP.RequestOn] for an app whose first replies may take long: if a connection opens and nothing comes in
// [DefaultTimeout], it asks once more, for up to [Patience].
func (p *UserHTTP) RequestPatiently(lane evidence.Lane) (version string, err error) {
	return p.requestTwice(lane, DefaultTimeout)
}

func (p *UserHTTP) requestTwice(lane evidence.Lane, first time.Duration) (version string, err error) {
	version, err = p.RequestOn(lane, first)
	var none *NoReplyError
	if errors.As(err, &none) && none.Fault == evidence.Timeout && none.Opened && !none.Endless && p != nil {
		return p.RequestOn(lane, Patience)
	}
	return version, err
}

// A reachRequest is the body of POST /v4/reach.
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

// reach serves POST /v4/reach: why the target gave no good reply, or null.
func (a *Agent) reach(w http.ResponseWriter, r *http.Request) {
	var q reachRequest
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxStartRequest)).Decode(&q)
	switch {
	case err != nil:
	case q.UserHTTP != nil, q.Lane.Protocol.RPC():
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
