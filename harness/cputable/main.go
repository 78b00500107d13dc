// Command cputable prints where processor time goes while a scenario is under load, for a run that somebody
// else started. It only reads the run folder and /proc, so it measures a run of any commit: -out and -run lead to the
// folder. It waits until the scenario is in a phase, lets 2 s pass, and then reads the processor time of every process
// of this host, those in kind's nodes included, over a window of -seconds.
//
// Two sums end the table: of the load itself, which is what the agents and the app's pods spend and the kernel's softirqs,
// and of the harness, which is all else but this program and those that ran on the host before the run. What begins on the host
// later counts to the harness, among "other": the machine has to be idle but for the run.
//
// Exit code 0: the table was printed; 1: there is none, the reason being named.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	a := attachment{log: os.Stderr}
	p := proc{folder: "/proc", self: os.Getpid()}
	flag.StringVar(&a.out, "out", "out", "`folder` that run folders are in")
	flag.StringVar(&a.run, "run", newest, "run `folder`, or "+newest+" for the one under way in -out")
	flag.StringVar(&a.scenario, "scenario", "canary", "`id` of the scenario")
	flag.StringVar(&a.phase, "phase", "after the rollout", "`phase` of it, as progress lines have it")
	seconds := flag.Float64("seconds", 8, "length of the window")
	asked := flag.Float64("requests", 700, "requests per `second`, if the run folder does not tell")
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	t, err := measure(ctx, a, p, time.Duration(*seconds*float64(time.Second)), *asked)
	stop()
	if err == nil {
		write := t.write
		if *asJSON {
			write = t.writeJSON
		}
		err = write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "cputable: %v\n", err)
		os.Exit(1)
	}
}

// settle is how long the phase is left alone first: its first progress line asks every agent, and is printed at once.
const settle = 2 * time.Second

// readEvery is how often processes are read, so that little is missed of those that end inside the window.
const readEvery = time.Second

// measure waits for the phase, and makes the table of a window in it.
func measure(ctx context.Context, a attachment, p proc, length time.Duration, asked float64) (table, error) {
	a.since = time.Now()
	if err := a.await(ctx); err != nil {
		return table{}, err
	}
	if err := pause(ctx, settle); err != nil {
		return table{}, err
	}
	var w window
	for end := time.Now().Add(length); ; {
		r, err := p.read()
		if err != nil {
			return table{}, err
		}
		w.add(r)
		if err := a.follow(); err != nil {
			return table{}, err
		}
		left := time.Until(end)
		if left <= 0 {
			break
		}
		if err := pause(ctx, min(left, readEvery)); err != nil {
			return table{}, err
		}
	}
	t := w.table(a.requests(asked))
	t.Run, t.Mode, t.Scenario, t.Phase = a.found.run, a.found.Mode, a.scenario, a.phase
	return t, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
