// Command accuracy holds what Rollcall measures against what is known to be true. It starts servers on 127.0.0.1
// that fail in windows whose begin and end they know, drives real lanes of package loadgen through them, joins what
// those recorded, and prints how far the measured lengths are off. It takes under three minutes and needs neither
// root nor a network.
//
// What is true, by kind of failure:
//
//	refused       From the moment the listening socket is closed, and keep-alive connections with it, until it is open again.
//	reset         From one moment to another, by when the server has read a request. A request that was read
//	stalled       before is answered; one that was read in between never is, also if its client still waits at
//	wrong server  the end.
//	mixed         A wrong version is no failure, and so no outage. Present and next version answer in turn, later
//	              the next alone; the window is from the first reply of the next to the last of the present one,
//	              and how often each version replied is true as well.
//
// The measured length is that of the outage (of the mixed window, for mixed) in the joined timeline: from the
// first failed send to the next good one. A lane of R requests a second sees both ends late by up to 1/R. So it has
// to be right to within 1/R, plus 1 ms for the program; has to find every window of 2/R or more; and must not find any
// other.
//
// All of that holds while the machine lets it. A window is disturbed when a request near one of its ends took 2 ms
// from when it was due until it was settled; it counts neither way, and is opened again at the end as long as there
// is time. Nor does a clean lane count that was kept from sending in time.
//
// Exit code 0: every bar was reached; 1: one was missed, each miss being named; 3: nothing could be measured, or the
// machine was so busy that of some kind and length every window was disturbed, or that ten clean runs could not be had.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errMissed says that a bar was missed; which one has been printed.
var errMissed = errors.New("accuracy: a bar was missed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, errMissed):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// run runs the plan, writes the report to out and says on progress what it is at.
func run(ctx context.Context, out, progress io.Writer) error {
	began := time.Now()
	var r report
	plan := rounds()
	for n := 0; n < len(plan); n++ {
		fmt.Fprintf(progress, "%3.0fs round %d of %d: %s\n", time.Since(began).Seconds(), n+1, len(plan), plan[n][0].kind)
		outcomes, err := together(ctx, plan[n])
		if err != nil {
			return err
		}
		r.outcomes = append(r.outcomes, outcomes...)
		if again := disturbed(outcomes); len(again) > 0 && time.Since(began) < repeatFor {
			plan = append(plan, again)
		}
	}
	return r.write(out)
}
