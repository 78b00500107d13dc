// Command bench holds the load agent against other load generators: vegeta's own command, and fortio as a library.
// It starts the echo app, anew for each load, and loads it with one generator at a time, each in its own process and
// on one processor, while the app and this program have the others. All of it is in a network of its own, so it must
// be root. It takes four idle minutes, two processors, and the first time access to a Go module proxy, for what the
// other generators need (competitors/go.mod).
//
// The agent runs as it does in a cluster: told over its API what to send, and asked for its hits every 500 ms.
// Vegeta is given the same: rate, method, body, name, timeout and bound on its workers. Results go to a file, which
// is what recording costs it. Five rounds, every other one in the opposite order, measure:
//
//	highest rate  The highest rate of which 99 % was answered well by the time the last request was due, in 1 s.
//	              Rates are 3 % apart.
//	CPU           User and system time of the generator's whole process, from its start to its end, per request.
//	lag           From when a request was due until it was sent. Vegeta records when it sent each request, but not
//	              when its plan began: its lag is taken to be 0 for its most punctual request.
//
// And once, which needs no idle machine:
//
//	memory        The most that was ever resident of the agent, program included, in a minute at 1,000 a second; in ten
//	              of them, which is what its bar is for, when ROLLCALL_BENCH_LONG is set. -rounds=0 measures it alone.
//
// A ratio is that of one round, since what runs beside it disturbs generators alike only when they run one after
// the other. A bar is for the median of the rounds.
//
// Exit code 0: every bar was reached; 1: one was missed, each miss being named; 3: nothing could be measured, or the
// machine was so busy that not even the fixed rates were held.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errMissed says that a bar was missed; which one has been printed.
var errMissed = errors.New("a bar was missed")

// Exit codes.
const (
	exitMissed = 1
	exitBroken = 3
)

func main() {
	p := plan{memoryFor: time.Minute}
	flag.UintVar(&p.rounds, "rounds", 5, "how often to measure all but memory; 0: memory alone")
	flag.Parse()
	if os.Getenv("ROLLCALL_BENCH_LONG") != "" {
		p.memoryFor *= 10
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := 0, error(nil)
	if programs := os.Getenv(programsVar); programs == "" {
		code, err = prepare(ctx, os.Stderr)
	} else {
		err = compare(ctx, programs, p, os.Stdout, os.Stderr)
	}
	stop()
	switch {
	case errors.Is(err, errMissed):
		code = exitMissed
	case err != nil:
		fmt.Fprintf(os.Stderr, "loadbench: %v\n", err)
		code = exitBroken
	}
	os.Exit(code)
}

// prepare builds the programs, which may take a network, and returns the exit code of the process that then measures.
func prepare(ctx context.Context, progress io.Writer) (code int, err error) {
	programs, err := os.MkdirTemp("", "rollcall-loadbench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(programs)
	fmt.Fprintln(progress, "building the app, the agent, vegeta and fortio")
	if err := build(ctx, programs); err != nil {
		return 0, err
	}
	return again(ctx, programs)
}

// compare measures, writes the report to out and says on progress what it is at.
func compare(ctx context.Context, programs string, p plan, out, progress io.Writer) error {
	if err := raiseLoopback(); err != nil {
		return err
	}
	bed, err := newTestbed(programs)
	if err != nil {
		return err
	}
	figures, err := bed.measure(ctx, p, progress)
	if err != nil {
		return err
	}
	return figures.write(out)
}
