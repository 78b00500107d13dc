//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
)

// proxies are the programs of which one may route on this node. Their HTTP servers show which.
type proxies struct {
	known  []*dataplane.Proxy
	client *http.Client
}

// plane waits until a proxy returns the name of the data plane that it runs. The error says why none did within proxyTimeout or
// until the run ended.
func (p proxies) plane(run context.Context) (name string, err error) {
	ctx, cancel := context.WithTimeoutCause(run, proxyTimeout, fmt.Errorf("no answer in %v", proxyTimeout))
	defer cancel()
	err = poll.UntilNil(ctx, 500*time.Millisecond, func() (err error) {
		name, err = p.detect(ctx)
		return err
	})
	return name, err
}

// detect returns the name of the data plane of the first proxy that answers.
func (p proxies) detect(ctx context.Context) (plane string, err error) {
	for _, proxy := range p.known {
		if proxy.Detect == nil {
			continue
		}
		plane, silent := proxy.Detect(func(path string) (string, error) {
			text, err := get(ctx, p.client, proxy.Address+path)
			if err != nil {
				return "", fmt.Errorf("ask %s for %s: %w", proxy.Name, path, err)
			}
			return text, nil
		})
		if silent == nil {
			return plane, nil
		}
		err = errors.Join(err, silent)
	}
	return "", err
}

// get returns the short text at a URL.
func get(ctx context.Context, client *http.Client, url string) (text string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
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
