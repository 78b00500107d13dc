// Command agent sends the load of lanes from inside a cluster; its HTTP API starts and stops it. Callers have to show the token
// that is in the environment as ROLLCALL_TOKEN. With a spool, a folder that outlives the process, the next process continues the
// load and has the hits that were not fetched yet.
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
	"time"

	"example.com/rollcall/loadgen"
)

// memoryLimit is the soft memory limit of the Go runtime, in bytes; the pod's own limit is above it.
const memoryLimit = 64 << 20

func main() {
	listen := flag.String("listen", ":8090", "address to serve the API on")
	spool := flag.String("spool", "", "folder that outlives the process; empty: none")
	until := time.Time{}
	flag.Func("until", "time, in RFC 3339, from which nobody needs the agent; it ends then", func(text string) (err error) {
		until, err = time.Parse(time.RFC3339, text)
		return err
	})
	flag.Parse()
	// With Go's default, a heap this small is collected dozens of times a second, which shows as lag at high rates.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(memoryLimit)
	cfg := loadgen.AgentConfig{Token: os.Getenv("ROLLCALL_TOKEN"), Spool: *spool}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !until.IsZero() {
		limited, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		ctx = limited
	}
	if err := listenAndServe(ctx, *listen, cfg); err != nil {
		log.Fatalf("agent: %v", err)
	}
}

func listenAndServe(ctx context.Context, addr string, cfg loadgen.AgentConfig) error {
	if cfg.Token == "" {
		return errors.New("ROLLCALL_TOKEN is not set")
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	log.Printf("agent: listening on %s", listener.Addr())
	return loadgen.Serve(ctx, listener, cfg)
}
