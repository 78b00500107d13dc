package loadgen

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// Reach asks an echo app once and reports whether it gave a good reply.
func Reach(ctx context.Context, client *http.Client, target string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return fmt.Errorf("loadgen: reach: %w", err)
	}
	reply, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("loadgen: reach: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("loadgen: reach %s: %s", target, reply.Status)
	}
	return nil
}

// Reach has the agent ask the target once, from where it is.
func (r Remote) Reach(ctx context.Context, target string) error {
	return r.call(ctx, "reach?target="+url.QueryEscape(target), http.MethodGet, nil, nothing)
}

// reach serves GET /v1/reach: 502 when the target gave no good reply.
func (a *Agent) reach(w http.ResponseWriter, r *http.Request) {
	client := http.Client{Timeout: DefaultTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	if err := Reach(r.Context(), &client, r.URL.Query().Get("target")); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
