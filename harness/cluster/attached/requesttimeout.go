package attached

import (
	"context"
	"io"
	"net/http"
	"path"
	"slices"
	"time"

	"k8s.io/client-go/transport"
)

// limited returns a wrapper that ends each request whose reply is not complete after the limit.
func limited(limit time.Duration) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper { return limiter{next, limit} }
}

type limiter struct {
	next  http.RoundTripper
	limit time.Duration
}

// WrappedRoundTripper lets client-go close idle connections.
func (l limiter) WrappedRoundTripper() http.RoundTripper { return l.next }

// RoundTrip sends a request, with the limit unless it is long-running.
func (l limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	if longRunning(r) {
		return l.next.RoundTrip(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), l.limit)
	reply, err := l.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	reply.Body = &limitedBody{reply.Body, cancel}
	return reply, nil
}

// longRunning reports whether a request has no end of its own: a watch, a followed log or a connection to a pod.
func longRunning(r *http.Request) bool {
	q := r.URL.Query()
	return q.Get("watch") == "true" || q.Get("follow") == "true" ||
		slices.Contains([]string{"portforward", "exec", "attach"}, path.Base(r.URL.Path))
}

// A limitedBody cancels the context of its request when it is closed.
type limitedBody struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close closes the body.
func (b *limitedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
