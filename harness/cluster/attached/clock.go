package attached

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// Now returns the time by the API server's clock, which decides on expiry: that of this host may be wrong, and other hosts have others.
func (c *Cluster) Now() time.Time { return time.Now().Add(c.ahead) }

// aheadOfHost returns by how much the API server's clock is ahead of this host's, to the second: its replies have the time in their Date
// header (RFC 9110, 6.6.1).
func aheadOfHost(ctx context.Context, config *rest.Config) (time.Duration, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.JoinPath("version").String(), nil)
	if err != nil {
		return 0, err
	}
	reply, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_, unread := io.Copy(io.Discard, reply.Body)
	if err := errors.Join(unread, reply.Body.Close()); err != nil {
		return 0, err
	}
	now, err := http.ParseTime(reply.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("the API server does not tell the time: %w", err)
	}
	return now.Sub(time.Now().Truncate(time.Second)), nil
}
