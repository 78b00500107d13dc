// Command agent loads lanes from inside a cluster, as told over HTTP. The token that its callers must
// show is in the environment as ROLLCALL_TOKEN.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"rollcall/loadgen"
)

// grace is how long API calls under way may still take when the agent is told to end.
const grace = 2 * time.Second

// memoryLimit is from where on memory is collected as often as it takes, in bytes; the pod's own limit is above.
const memoryLimit = 64 << 20

func main() {
	listen := flag.String("listen", ":8090", "address to serve the API on")
	flag.Parse()
	// By default a heap this small is collected dozens of times a second, which shows as lag at high rates.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := listenAndServe(ctx, *listen, os.Getenv("ROLLCALL_TOKEN")); err != nil {
		log.Fatalf("agent: %v", err)
	}
}

func listenAndServe(ctx context.Context, addr, token string) error {
	if token == "" {
		return errors.New("ROLLCALL_TOKEN is not set")
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return serve(ctx, listener, token)
}

// serve serves an agent until ctx is done, then stops its lanes and returns.
func serve(ctx context.Context, listener net.Listener, token string) error {
	agent, err := loadgen.NewAgent(token)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: agent, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log.Printf("agent: listening on %s", listener.Addr())
	select {
	case err := <-served:
		agent.Stop()
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
	<-served
	agent.Stop() // last, so that no lane is started after it
	return nil
}
