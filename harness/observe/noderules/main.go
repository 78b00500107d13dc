//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	runtime.GOMAXPROCS(1) // it waits nearly all the time: with more, each look wakes threads that find nothing to do
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], newProxy(proxyAddress), os.Stdout, os.Stderr))
}

// run observes until the context ends and returns the process's exit code. Errors go to stderr, one line each.
func run(ctx context.Context, args []string, p proxy, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "-h" {
		fmt.Fprintln(stdout, "noderules prints changes of the rules for Services on its node, until SIGTERM")
		return exitOK
	}
	every := usualCadence()
	switch {
	case len(args) == 1 && args[0] == "-sparing":
		every = sparingCadence()
	case len(args) > 0:
		fmt.Fprintf(stderr, "noderules: argument %q: want -sparing or none\n", args[0])
		return exitUsage
	}
	if err := watch(ctx, p, every, stdout); err != nil {
		fmt.Fprintf(stderr, "noderules: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func watch(ctx context.Context, p proxy, every cadence, stdout io.Writer) (err error) {
	mode, silent := p.mode(ctx)
	switch {
	case silent != nil && ctx.Err() != nil:
		return silent
	case silent != nil:
		return absent(ctx, &lineWriter{out: stdout}, silent)
	}
	s, method, err := openSource(mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	o := &observer{out: &lineWriter{out: stdout}, source: s, proxy: p, load: loadReader{proc: "/proc"}, every: every}
	return o.run(ctx, mode, method)
}

// absent says that there is no kube-proxy here, whose rules alone can be read, and waits to be ended.
func absent(ctx context.Context, w *lineWriter, why error) error {
	w.none(time.Now(), why)
	<-ctx.Done()
	w.end(time.Now())
	return w.err
}
