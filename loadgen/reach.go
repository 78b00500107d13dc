package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"rollcall/harness/evidence"
)

// FreshClient opens a connection for each request, which may take so long. A redirection is a reply, as it is to lanes.
func FreshClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Ask asks an echo app once and says who gave the good reply; anything else is an error. Nothing is sent again.
func Ask(ctx context.Context, client *http.Client, target string) (evidence.Server, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, nil)
	if err != nil {
		return evidence.Server{}, fmt.Errorf("loadgen: ask: %w", err)
	}
	reply, err := client.Do(req)
	if err != nil {
		return evidence.Server{}, fmt.Errorf("loadgen: ask: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return evidence.Server{}, fmt.Errorf("loadgen: ask %s: %s", target, reply.Status)
	}
	_, err = io.Copy(io.Discard, reply.Body) // so that the connection can be kept
	return serverOf(reply), err
}

// Ask asks a userapp once and says which version gave the good reply, if it names one.
func (p *UserHTTP) Ask(ctx context.Context, client *http.Client, target string) (version string, err error) {
	if err := p.Check(); err != nil {
		return "", fmt.Errorf("loadgen: ask: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, p.method(), target, nil)
	if err != nil {
		return "", fmt.Errorf("loadgen: ask: %w", err)
	}
	var given connections
	reply, err := client.Do(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: given.add})))
	if err != nil {
		return "", noReply(ctx, req, given.count > 0, fmt.Errorf("loadgen: ask: %w", err))
	}
	defer reply.Body.Close()
	version, err = newReplyReader(p).read(reply)
	switch {
	case err != nil:
		return "", noReply(ctx, req, true, fmt.Errorf("loadgen: ask %s: %w", target, err))
	case !p.good(reply.StatusCode):
		return "", &NoReplyError{Status: reply.StatusCode, TLS: reply.StatusCode == http.StatusBadRequest && speaksTLS(ctx, req),
			Because: fmt.Sprintf("loadgen: ask %s: %s", target, reply.Status)}
	case p.Names() && version == "":
		return "", fmt.Errorf("loadgen: ask %s: the reply names no version where it should", target)
	}
	return version, nil
}

// Reach has the agent ask the target once, from where it is. p is nil for the echo app. That there is no good reply is a
// [NoReplyError].
func (r Remote) Reach(ctx context.Context, target string, p *UserHTTP) error {
	query := url.Values{"target": {target}}
	if p != nil {
		text, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("loadgen: ask agent to reach: %w", err)
		}
		query.Set("user_http", string(text))
	}
	var none *NoReplyError
	if err := r.call(ctx, "reach?"+query.Encode(), http.MethodGet, nil, decodeInto(&none)); err != nil {
		return err
	}
	if none != nil {
		return none
	}
	return nil
}

// reach serves GET /v1/reach: why the target gave no good reply, or null.
func (a *Agent) reach(w http.ResponseWriter, r *http.Request) {
	client := FreshClient(DefaultTimeout)
	target, text := r.URL.Query().Get("target"), r.URL.Query().Get("user_http")
	var err error
	if text == "" {
		_, err = Ask(r.Context(), client, target)
	} else {
		var p UserHTTP
		if err = json.Unmarshal([]byte(text), &p); err == nil {
			_, err = p.Ask(r.Context(), client, target)
		}
	}
	var none *NoReplyError
	if err != nil && !errors.As(err, &none) {
		none = &NoReplyError{Because: err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(none) // who asked has left
}
