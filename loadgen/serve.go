package loadgen

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// Serve serves an agent until ctx is done, then stops its lanes and returns.
func Serve(ctx context.Context, listener net.Listener, cfg AgentConfig) error {
	agent, err := NewAgent(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: agent, ReadHeaderTimeout: headerTimeout}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		agent.Stop()
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), serveGrace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
	<-served
	agent.Stop() // last, so that no lane is started after it
	return nil
}
