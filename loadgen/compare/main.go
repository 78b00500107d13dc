// Command compare holds the load agent against other load generators: vegeta's own command, and fortio as a library.
// It starts the echo app on 127.0.0.1 and loads it with one generator at a time, each in its own process and on
// one processor, while the app and this program have the others. It takes under four minutes, two processors, and
// the first time a network or a module cache that has the other generators (rivals/go.mod).
//
// The agent runs as it does in a cluster: told over its API what to send, and asked for its hits every 500 ms.
// Vegeta is given the same: rate, method, body, name, timeout and bound on its workers. Results go to a file, which
// is what recording costs it. Five rounds, every other one in the opposite order, measure:
//
//	highest rate  The highest rate of which 99 % was answered well by the time the last request was due, for 1.5 s.
//	              Rates are 3 % apart.
//	CPU           User and system time of the generator's whole process, from its start to its end, per request.
//	lag           From when a request was due until it was sent. Vegeta records when it sent each request, but not
//	              when its plan began: its lag is taken to be 0 for its most punctual request.
//	memory        The most that was resident of the agent, in a minute.
//
// A ratio is that of one round, since what runs beside it disturbs generators alike only when they run one after
// the other. A bar is for the median of the five.
//
// Exit code 0: every bar was reached; 1: one was missed, each miss being named; 3: the rig did not work, or the
// machine was so busy that not even the fixed rates were held.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errMissed says that a bar was missed; which one has been printed.
var errMissed = errors.New("compare: a bar was missed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := compare(ctx, os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, errMissed):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// compare measures, writes the report to out and says on progress what it is at.
func compare(ctx context.Context, out, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "rollcall-compare-")
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(progress, "building the app, the agent, vegeta and fortio")
	if err := build(ctx, dir); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	rig, err := startRig(ctx, dir)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	defer rig.end()
	figures, err := rig.measure(ctx, progress)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	return report(figures).write(out)
}
