//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/rollcall/harness/poll"
)

// A proxy is this node's kube-proxy, as its HTTP server shows it.
type proxy struct {
	address string // of its metrics server, such as http://localhost:10249
	client  *http.Client
}

const proxyAddress = "http://localhost:10249"

// newProxy returns the kube-proxy at an address.
func newProxy(address string) proxy { return proxy{address, &http.Client{Timeout: replyTimeout}} }

// mode waits until kube-proxy returns its mode. The error says why it did not within proxyTimeout or until
// the run ended.
func (p proxy) mode(run context.Context) (mode string, err error) {
	ctx, cancel := context.WithTimeoutCause(run, proxyTimeout, fmt.Errorf("no answer in %v", proxyTimeout))
	defer cancel()
	err = poll.UntilNil(ctx, 500*time.Millisecond, func() (err error) {
		mode, err = p.get(ctx, "/proxyMode")
		return err
	})
	return mode, err
}

// get returns the short text at a path.
func (p proxy) get(ctx context.Context, path string) (text string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("ask kube-proxy for %s: %w", path, err)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address+path, nil)
	if err != nil {
		return "", err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %s", response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 100))
	return strings.TrimSpace(string(body)), err
}
