//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	runtime.GOMAXPROCS(1) // it waits nearly all the time: with more, each look wakes threads that have nothing to do
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	p := proxies{dataplane.Proxies(), &http.Client{Timeout: replyTimeout}}
	os.Exit(run(ctx, os.Args[1:], p, os.Stdout, os.Stderr))
}

// run observes until the context ends and returns the process's exit code. Errors go to stderr, one line each.
func run(ctx context.Context, args []string, p proxies, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "-h" {
		fmt.Fprintln(stdout, "noderules prints changes of the rules for Services on its node and, with -flows, connections that it routes, until SIGTERM or -until")
		return exitOK
	}
	every, connections := usualCadence(), selection{}
	for _, arg := range args {
		flag, list, _ := strings.Cut(arg, "=")
		var err error
		switch {
		case arg == "-sparing":
			every = sparingCadence()
		case flag == "-until":
			var at time.Time
			if at, err = time.Parse(time.RFC3339, list); err == nil {
				limited, cancel := context.WithDeadline(ctx, at)
				defer cancel()
				ctx = limited
			}
		case flag == "-flows":
			connections.to, err = parseDestinations(list)
		case flag == "-clients":
			connections.from, err = parseClients(list)
		default:
			err = errors.New("want -sparing, -until=TIME, -flows=ADDRESS:PORT,..., -clients=ADDRESS,... or none")
		}
		if err != nil {
			fmt.Fprintf(stderr, "noderules: argument %q: %s\n", arg, usage.OneLine(err))
			return exitUsage
		}
	}
	if err := watch(ctx, p, every, connections, stdout); err != nil {
		fmt.Fprintf(stderr, "noderules: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func watch(ctx context.Context, p proxies, every cadence, connections selection, stdout io.Writer) (err error) {
	plane, silent := p.plane(ctx)
	switch {
	case silent != nil && ctx.Err() != nil:
		return silent
	case silent != nil:
		return absent(ctx, &lineWriter{out: stdout}, connections, silent)
	}
	s, method, err := openSource(plane)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	o := &observer{out: &lineWriter{out: stdout}, source: s, load: loadReader{proc: "/proc"}, every: every, asked: connections}
	return o.run(ctx, plane, method)
}

// absent writes that there is no proxy whose rules can be read, and writes flows until ctx ends.
func absent(ctx context.Context, w *lineWriter, connections selection, why error) error {
	w.none(time.Now(), why)
	f := listen(w, connections)
	for ctx.Err() == nil && w.err == nil {
		poll.Pause(ctx, flowsEvery)
		f.write(w)
	}
	failure := f.end(w)
	w.end(time.Now())
	return cmp.Or(w.err, failure)
}
