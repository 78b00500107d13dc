package loadgen

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"rollcall/harness/evidence"
)

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

// Reach has the agent ask the target once, from where it is.
func (r Remote) Reach(ctx context.Context, target string) error {
	return r.call(ctx, "reach?target="+url.QueryEscape(target), http.MethodGet, nil, nothing)
}

// reach serves GET /v1/reach: 502 when the target gave no good reply.
func (a *Agent) reach(w http.ResponseWriter, r *http.Request) {
	client := http.Client{Timeout: DefaultTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	if _, err := Ask(r.Context(), &client, r.URL.Query().Get("target")); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
