// Command agent loads lanes from inside a cluster, as told over HTTP. The token that its callers must
// show is in the environment as ROLLCALL_TOKEN.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"rollcall/loadgen"
)

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
	log.Printf("agent: listening on %s", listener.Addr())
	return loadgen.Serve(ctx, listener, token)
}
