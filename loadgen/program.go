package loadgen

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
)

// memoryLimit is the soft memory limit of the Go runtime, in bytes; the pod's own limit is above it.
const memoryLimit = 64 << 20

// RunAgent runs an agent until a signal or the time in its flags ends it.
func RunAgent() {
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
	cfg := AgentConfig{Token: os.Getenv("ROLLCALL_TOKEN"), Spool: *spool}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !until.IsZero() {
		limited, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		ctx = limited
	}
	if err := ListenAndServe(ctx, *listen, cfg); err != nil {
		log.Fatalf("agent: %v", err)
	}
}

// ListenAndServe serves an agent at an address until ctx is done.
func ListenAndServe(ctx context.Context, addr string, cfg AgentConfig) error {
	if cfg.Token == "" {
		return errors.New("ROLLCALL_TOKEN is not set")
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	log.Printf("agent: listening on %s", listener.Addr())
	return Serve(ctx, listener, cfg)
}
