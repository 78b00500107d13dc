package attached

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// slow is an API server that takes one time until it replies, and another until the reply ends.
type slow struct{ reply, body time.Duration }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := wait(r.Context(), s.reply); err != nil {
		return nil, err
	}
	return &http.Response{Body: slowBody{r.Context(), s.body}}, nil
}

type slowBody struct {
	ctx  context.Context
	time time.Duration
}

func (b slowBody) Read([]byte) (int, error) {
	if err := wait(b.ctx, b.time); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func (slowBody) Close() error { return nil }

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestLimitedRequests(t *testing.T) {
	for _, row := range []struct {
		sentence, url string
		server        slow
		ends          time.Duration
		late          bool
	}{
		{"a reply in time", "/api/v1/nodes", slow{time.Second, time.Second}, 2 * time.Second, false},
		{"no reply in time", "/api/v1/nodes", slow{time.Hour, 0}, 10 * time.Second, true},
		{"a reply that goes on", "/api/v1/nodes", slow{time.Second, time.Hour}, 10 * time.Second, true},
		{"a watch goes on", "/api/v1/pods?watch=true", slow{time.Second, time.Hour}, time.Hour + time.Second, false},
		{"so does a log that is followed", "/api/v1/namespaces/a/pods/b/log?follow=true", slow{time.Minute, time.Hour},
			time.Hour + time.Minute, false},
		{"a log that is not followed is ended", "/api/v1/namespaces/a/pods/b/log", slow{time.Minute, time.Hour}, 10 * time.Second, true},
		{"so does a port-forward", "/api/v1/namespaces/a/pods/b/portforward", slow{0, time.Hour}, time.Hour, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://here"+row.url, nil)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := limited(10 * time.Second)(row.server).RoundTrip(request)
				if err == nil {
					_, err = io.ReadAll(reply.Body)
					err = errors.Join(err, reply.Body.Close())
				}
				if took := time.Since(began); took != row.ends || errors.Is(err, context.DeadlineExceeded) != row.late || !row.late && err != nil {
					t.Errorf("%v after %v, want it after %v", err, took, row.ends)
				}
			})
		})
	}
}
